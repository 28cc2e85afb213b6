package bloomlsh

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/storetest"
)

// describe verifies an index and describes it.
func describe(env environment, dir string) (d index.Description, err error) {
	err = index.ReadIn(env.files, dir, func(from *index.Snapshot) error {
		if err := from.Verify(env.files, VerifyFilters); err != nil {
			return err
		}
		d, err = from.Describe()
		return err
	})
	return d, err
}

// inspected returns what Inspect reports for an index.
func inspected(env environment, dir string) (stats Stats, err error) {
	err = index.ReadIn(env.files, dir, func(from *index.Snapshot) error {
		stats, err = inspect(env, from)
		return err
	})
	return stats, err
}

// undoTo takes an index back.
func undoTo(env environment, dir string, choose index.Choice) error {
	left, err := index.UndoIn(env.files, dir, choose)
	if err == nil {
		err = left
	}
	return err
}

// manifestLines returns the lines of the MANIFEST of idx, without the checksum.
func manifestLines(files *storetest.Machine) []string {
	text, _, _ := strings.Cut(string(files.Read("idx/MANIFEST")), "checksum\t")
	return strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
}

// writeManifest is the inverse of manifestLines.
func writeManifest(files *storetest.Machine, lines []string) {
	text := strings.TrimSuffix(strings.Join(lines, ""), "\n") + "\n"
	files.Write("idx/MANIFEST", fmt.Appendf([]byte(text), "checksum\t%016x\n", xxh3.HashString(text)))
}

// baseNames returns the sealed files that MANIFEST names.
func baseNames(files *storetest.Machine) (names []string) {
	for _, line := range manifestLines(files) {
		if fields := strings.Split(line, "\t"); fields[0] == "base" {
			names = append(names, fields[1])
		}
	}
	return names
}

// A fixedState is a section that always returns the same state for the filters.
type fixedState []byte

func (fixedState) Name() string             { return sectionName }
func (s fixedState) State() ([]byte, error) { return s, nil }

// commitState makes a commit with another state of the filters.
func commitState(t *testing.T, env environment, dir string, state []byte) {
	t.Helper()
	w, err := index.OpenExisting(env.files, dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err = w.Load(nil, nil); err == nil {
		w.Add(fixedState(state))
		err = w.Commit(Position{})
	}
	if err := errors.Join(err, w.Abandon()); err != nil {
		t.Fatal(err)
	}
}
