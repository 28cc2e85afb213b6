package bloomlsh

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/zeebo/xxh3"
)

// What a newer program has written is refused as that, and neither called damaged nor cut off.
func TestNewerIndexIsNotDamaged(t *testing.T) {
	for name, change := range map[string]func(files *memFiles){
		"line of MANIFEST": func(files *memFiles) {
			node := files.entries[filepath.Join("idx", manifestName)]
			text := node.data[:bytes.LastIndex(node.data, []byte("checksum\t"))]
			text = append(bytes.Clone(text), "color\tred\t1\n"...)
			node.data = fmt.Appendf(text, "checksum\t%016x\n", xxh3.Hash(text))
		},
		"frame of the log": func(files *memFiles) {
			node := files.entries[filepath.Join("idx", logName(1))]
			frame := appendNumbers(beginFrame(nil, kindPrepared+1, 3), 1)
			node.data = append(node.data, endFrame(frame, 0, int64(len(node.data)))...)
		},
	} {
		files := newMemFiles()
		env := testEnvironment(files, 1<<30)
		fill(t, env, smallParams, 50, 1)
		change(files)
		before := files.clone()
		_, err := openStore(env, "idx", smallParams, nil)
		if !errors.Is(err, ErrVersion) || errors.Is(err, ErrCorrupt) {
			t.Errorf("a new %s: %v", name, err)
		}
		for file, node := range before.entries {
			if !bytes.Equal(node.data, files.entries[file].data) {
				t.Errorf("a new %s: %s was changed", name, file)
			}
		}
	}
}
