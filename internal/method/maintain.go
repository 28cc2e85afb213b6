package method

import (
	"errors"
	"fmt"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/method/exact"
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/internal/usage"
)

// OpenToDelete opens the memory of the index in dir, whose user-visible name is given. It refuses
// Bloom filters.
func OpenToDelete(dir, name string) (*exact.Stored, error) {
	kind, err := identity.MemoryOf(dir)
	if err != nil {
		return nil, err
	}
	if kind == spec.MemoryAuto {
		return nil, fmt.Errorf("%s is of --memory auto, whose Bloom filters take the place of the records and cannot "+
			"forget one alone: records can be deleted from an index of --memory exact", name)
	}
	if kind == spec.MemoryBloom {
		return nil, fmt.Errorf("%s has Bloom filters, which cannot forget a record alone: build it again without the "+
			"records, as in mithril-stream sketch REST -o rest.sketch && mithril-stream dedup --index NEW "+
			"rest.sketch; or have old records forgotten (--forget-after), or use --memory exact, from which "+
			"records can be deleted",
			name)
	}
	stored, err := ReadStored(dir, nil)
	if err != nil {
		return nil, err
	}
	return exact.OpenStored(dir, stored.Kind)
}

// HasLog reports whether the index in dir has a log of an exact memory.
func HasLog(dir string) (bool, error) {
	kind, err := identity.MemoryOf(dir)
	return kind != spec.MemoryBloom, err
}

// Compact removes from the index in dir what it does not need: deleted records, and what the log of
// its commits has of filters.
func Compact(dir string, maxMemory uint64, kept index.Undo) error {
	memory, err := identity.MemoryOf(dir)
	switch {
	case err != nil:
		return err
	case identity.HasFilters(memory):
		return bloomlsh.Compact(dir, kept)
	case memory == identity.MemoryOfGroups:
		return exact.CompactGroups(dir, kept)
	}
	stored, err := ReadStored(dir, nil)
	if err != nil {
		return err
	}
	return exact.Compact(dir, stored.Kind, maxMemory, kept)
}

// Merge makes the union of indexes, of Bloom filters or of exact memories. describe returns the
// state to be committed with a union of exact memories, from its numbers of records and duplicates.
//
// The union is written to the directory output. maxMemory limits the memory that exact memories use
// for it, in bytes; 0 means no limit.
func Merge(dirs []string, output string, maxMemory uint64, describe func(exact.State) ([]byte, error)) error {
	named := false // an index knows which records it has
	for _, dir := range dirs {
		kind, err := identity.MemoryOf(dir)
		switch {
		case err != nil:
			return err
		case kind == spec.MemoryAuto:
			return fmt.Errorf("%s is of --memory auto and cannot be merged: a part of what it has seen may be "+
				"known to filters only, which cannot name originals in the union", dir)
		}
		switch forgets, err := forgetsIn(dir); {
		case err != nil:
			return err
		case forgets && kind != spec.MemoryBloom:
			return fmt.Errorf("%s: it forgets, and its generations end at times of their own: name it with --against "+
				"instead", dir)
		}
		named = named || kind != spec.MemoryBloom
	}
	switch {
	case !named && maxMemory > 0:
		return usage.Error(errors.New("--max-memory is for indexes of --memory exact"))
	case !named:
		return bloomlsh.Merge(dirs, output)
	}
	first, err := ReadStored(dirs[0], nil)
	if err != nil {
		return err
	}
	return exact.Merge(dirs, first.Description, output, maxMemory, describe)
}

// forgetsIn reports whether the index in dir forgets.
func forgetsIn(dir string) (bool, error) {
	list, err := index.ReadParameters(dir)
	return identity.WindowsOf(list).Keep > 0, err
}
