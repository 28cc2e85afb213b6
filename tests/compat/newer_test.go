package compat

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zeebo/xxh3"
)

// TestNewer refuses what a newer program has written as that. It is not called damaged, since who
// is told so looks for a copy or begins anew; and nothing of it is changed.
func TestNewer(t *testing.T) {
	for _, k := range all {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			inputs(t, dir)
			mustRun(t, dir, k.days[0])
			mustRun(t, dir, k.days[1])
			commands := []string{k.days[2]}
			if k.index {
				change(t, filepath.Join(dir, "idx", "MANIFEST"), "version\t3\n", "version\t9\n")
				commands = append(commands, k.days[1], "index inspect idx", "index verify idx", "index undo idx",
					"index compact idx", "index merge idx -o both")
			} else {
				change(t, filepath.Join(dir, "2.sketches"), "version\t", "version\t9")
			}
			for _, command := range commands {
				before := contents(t, dir)
				_, said, err := run(dir, command)
				if err == nil || !strings.Contains(said, "use a newer program") || strings.Contains(said, "damaged") {
					t.Errorf("mithril-stream %s: %v\n%s", command, err, said)
				}
				if after := contents(t, dir); after != before {
					t.Errorf("mithril-stream %s has changed something:\n%s\nwas\n%s", command, after, before)
				}
			}
		})
	}
}

// change replaces a text in a file, and puts the checksum right that its last line may have.
func change(t *testing.T, path, from, to string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(data, []byte(from)) {
		t.Fatalf("%s has no %q", path, from)
	}
	data = bytes.Replace(data, []byte(from), []byte(to), 1)
	if at := bytes.LastIndex(data, []byte("checksum\t")); at >= 0 && filepath.Base(path) == "MANIFEST" {
		data = fmt.Appendf(data[:at], "checksum\t%016x\n", xxh3.Hash(data[:at]))
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
