package bloomlsh

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
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
			node.data = appendFrame(node.data, framelog.Prepared+1, 3, appendNumbers(nil, 1))
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
