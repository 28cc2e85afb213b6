package bloomlsh

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
	"github.com/mithril-stream/mithril-stream/internal/storetest"
)

// TestNewerIndexIsNotDamaged checks that files from a newer program are rejected as such, and
// neither reported as damaged nor cut off.
func TestNewerIndexIsNotDamaged(t *testing.T) {
	for name, change := range map[string]func(files *storetest.Machine){
		"line of MANIFEST": func(files *storetest.Machine) {
			text := files.Read("idx/MANIFEST")
			text = append(text[:bytes.LastIndex(text, []byte("checksum\t"))], "color\tred\t1\n"...)
			files.Write("idx/MANIFEST", fmt.Appendf(text, "checksum\t%016x\n", xxh3.Hash(text)))
		},
		"frame of the log": func(files *storetest.Machine) {
			log := files.Read("idx/log-1")
			files.Write("idx/log-1", appendFrame(log, framelog.Prepared+1, 3, appendNumbers(nil, 1)))
		},
	} {
		files := storetest.New(t)
		env := testEnvironment(1 << 30)
		fill(t, env, files, smallParams, 50, 1)
		change(files)
		before := files.All()
		_, err := openStore(env, files.Path("idx"), smallParams, nil)
		if !errors.Is(err, ErrVersion) || errors.Is(err, ErrCorrupt) {
			t.Errorf("a new %s: %v", name, err)
		}
		for _, e := range before {
			if !e.IsDir && !bytes.Equal(e.Data, files.Read(e.Path)) {
				t.Errorf("a new %s: %s was changed", name, e.Path)
			}
		}
	}
}
