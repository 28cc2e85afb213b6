package index_test

import (
	"encoding/binary"
	"fmt"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
	"github.com/mithril-stream/mithril-stream/internal/index"
)

// A tally is the base of the indexes in these tests. It holds the numbers that were entered, in
// sealed files of perFile numbers each, except for those still in the log of the commits.
type tally struct {
	of      *index.Writer
	numbers []uint64
	sealed  []sealedPart
}

// A sealedPart is a sealed file and the count of numbers in it.
type sealedPart struct {
	name  index.SealedName
	count int
}

const (
	perFile    = 60
	numberSize = 8
)

func (*tally) Name() string { return "tally" }

func (b *tally) State() ([]byte, error) {
	return binary.LittleEndian.AppendUint64(nil, uint64(len(b.numbers))), nil
}

func (b *tally) Bytes() uint64 { return uint64(len(b.numbers) * numberSize) }

// Fold writes the files whose numbers have changed.
func (b *tally) Fold(to *index.Folding) (names []index.SealedName, err error) {
	var sealed []sealedPart
	for first := 0; first < len(b.numbers); first += perFile {
		part := b.numbers[first:min(first+perFile, len(b.numbers))]
		file, i := sealedPart{count: len(part)}, len(sealed)
		if i < len(b.sealed) && b.sealed[i].count == len(part) {
			file = b.sealed[i]
		} else {
			header := make([]byte, index.SealedHeader)
			if file.name, err = to.Write(i+1, header, appendNumbers(nil, part)); err != nil {
				return nil, err
			}
		}
		sealed, names = append(sealed, file), append(names, file.name)
	}
	b.sealed = sealed
	return names, nil
}

func appendNumbers(to []byte, numbers []uint64) []byte {
	for _, n := range numbers {
		to = binary.LittleEndian.AppendUint64(to, n)
	}
	return to
}

// enter enters the next count numbers. Each is logged with its position, so that load can check it.
func (b *tally) enter(count int) error {
	for range count {
		n := uint64(len(b.numbers)) * 0x9e3779b97f4a7c15
		b.numbers = append(b.numbers, n)
		log := b.of.Changes()
		if log == nil {
			continue
		}
		entry, err := log.Entry(numberSize)
		if err == nil {
			binary.LittleEndian.PutUint64(entry, n)
		}
		if err := b.of.Changed(err); err != nil {
			return err
		}
	}
	return nil
}

// load restores the tally from a snapshot.
func (b *tally) load(from *index.Snapshot) error {
	for i, f := range from.Sealed() {
		part := make([]byte, f.Bytes())
		if err := f.Load(part); err != nil {
			return err
		}
		if err := b.take(part); err != nil {
			return err
		}
		b.sealed = append(b.sealed, sealedPart{from.SealedNames()[i], len(part) / numberSize})
	}
	err := from.EachFrame(func(f framelog.Frame) error {
		if f.Kind == framelog.Entries {
			return b.take(f.Payload)
		}
		return nil
	})
	if state, _ := b.State(); err == nil && string(state) != string(from.Committed().State(b.Name())) {
		err = fmt.Errorf("there are %d numbers, and the commit says something else", len(b.numbers))
	}
	return err
}

func (b *tally) take(part []byte) error {
	for ; len(part) >= numberSize; part = part[numberSize:] {
		n := binary.LittleEndian.Uint64(part)
		if n != uint64(len(b.numbers))*0x9e3779b97f4a7c15 {
			return fmt.Errorf("number %d is %x", len(b.numbers), n)
		}
		b.numbers = append(b.numbers, n)
	}
	if len(part) > 0 {
		return fmt.Errorf("there are %d bytes after the numbers", len(part))
	}
	return nil
}

func verifyTally(from *index.Snapshot) error { return new(tally).load(from) }
