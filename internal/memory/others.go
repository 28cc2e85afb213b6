package memory

import (
	"errors"
	"io"
)

// Others are the memories that are asked beside the one that remembers, or in its place. There are
// MostOthers at most.
type Others []*Named

// A Named is a memory that is only asked, and what its records are called.
type Named struct {
	Asked
	Names Names
	file  io.Closer
}

// A ReadFile is a file of which a part is read.
type ReadFile interface {
	io.ReaderAt
	io.Closer
}

// ReadNamed returns the index that make makes of p, as of a length of its log. The file is closed
// with it.
func ReadNamed[P any, X Index](make func(P) (X, error), p P, file ReadFile, length int64) (*Named, error) {
	n := &Named{file: file}
	x, err := Read(make, p, file, length, n.Names.loadIfNames)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	n.Asked = x
	return n, nil
}

// Close closes the memory and the file of its log.
func (n *Named) Close() error {
	err := n.Asked.Close()
	if n.file != nil {
		err = errors.Join(err, n.file.Close())
	}
	return err
}

// Query sets matches to what the memories know. Of records that are as similar, that of the first
// one stays.
func (o Others) Query(sketches []uint64, matches []Match) error {
	clear(matches)
	for i, other := range o {
		if err := other.Query(sketches, matches); err != nil {
			return err
		}
		for j := range matches {
			if m := &matches[j]; m.Record > 0 && m.Memory == 0 {
				m.Memory = uint8(i + 1)
			}
		}
	}
	return nil
}

// Close closes all of them.
func (o Others) Close() (err error) {
	for _, other := range o {
		err = errors.Join(err, other.Close())
	}
	return err
}

// MostOthers is how many there may be: an original has eight bits for which of them it is from.
const MostOthers = 1<<(64-originalShift) - 1

const originalShift = 56

// Original is the number by which verdicts, journals and other programs know the record of a match:
// its own number, and in the upper byte whose it is.
func (m Match) Original() uint64 { return uint64(m.Memory)<<originalShift | m.Record }

// Has reports whether there is such an original, in a memory of these names or in one of the
// others.
func (o Others) Has(own *Names, original uint64) bool {
	names, record := o.namesOf(own, original)
	return names.Has(record)
}

// AppendName appends what an original is called, in a memory of these names or in one of the
// others.
func (o Others) AppendName(dst []byte, own *Names, original uint64) []byte {
	names, record := o.namesOf(own, original)
	return names.Append(dst, record)
}

func (o Others) namesOf(own *Names, original uint64) (names *Names, record uint64) {
	switch i := int(original >> originalShift); {
	case i == 0:
		return own, original
	case i <= len(o):
		return &o[i-1].Names, original & (1<<originalShift - 1)
	}
	return &Names{}, 0
}
