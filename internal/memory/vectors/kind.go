package vectors

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
	"github.com/mithril-stream/mithril-stream/internal/memory"
)

const (
	logHolds       = "vectors"
	logHoldsWithin = "confined" // vectors with a word for each, under Params.Within
	logVersion     = 1          // of the entries, and of how lists are split

	entryHead = 8 + 4 // record number, list
)

// kind implements memory.Kind for an Index.
type kind struct{ *Index }

func (k kind) Check(sketches []uint64, records int) error {
	if words := k.params.words(); len(sketches) != words*records {
		return fmt.Errorf("%w: %d words of %d rows: each must have %d", memory.ErrSize, len(sketches), records, words)
	}
	return nil
}

func (k kind) Size([]uint64) int { return k.params.words() }

// CheckCapacity implements memory.Kind. An Index has no limit.
func (k kind) CheckCapacity() error { return nil }

// Lookup implements memory.Kind. A row is a copy if its cosine to an earlier one is 1, since it
// then resembles the same rows.
func (k kind) Lookup(sketch []uint64) (best memory.Match, isCopy bool, err error) {
	own, err := k.searchRow(sketch)
	return own.match(), own.cosine == 1, err
}

func (k kind) FindIdentical() (record uint64, err error) {
	if own := k.search(); own.cosine == 1 {
		return own.record, nil
	}
	return 0, nil
}

// Remember implements memory.Kind. Lookup or Decode must have set the query, and Lookup or
// FindIdentical must have found the nearest lists. The list is logged too, since finding it again
// would take as long as the first time.
func (k kind) Remember(record uint64, log *memory.Log) error {
	into := int(k.nearest[0].list)
	if log != nil {
		log.BeginEntry()
		log.Uint64(record)
		log.Uint32(uint32(into))
		log.Words(wordsOf(k.query.row))
		if k.params.Within {
			log.Uint64(k.query.within)
		}
		if err := log.EndEntry(); err != nil {
			return err
		}
	}
	k.add(record, into)
	return nil
}

func (k kind) Header() framelog.Header {
	return framelog.Header{Holds: k.params.logHolds(), Version: logVersion,
		Numbers: [3]uint64{uint64(k.params.Dims), mostRows, moreRows}}
}

func (p Params) logHolds() string {
	if p.Within {
		return logHoldsWithin
	}
	return logHolds
}

// ReadDims sets Dims to the number of dimensions of the vectors in a log.
func (p *Params) ReadDims(file io.ReaderAt) error {
	header, err := framelog.ReadHeader(file, p.logHolds())
	if err == nil && (header.Version != logVersion || header.Numbers[0] < 1 || header.Numbers[0] > maxDims) {
		err = fmt.Errorf("%w: its header is not that of a log of vectors", memory.ErrCorrupt)
	}
	p.Dims = int(header.Numbers[0])
	return err
}

func (k kind) Decode(entries []byte, _ int64) (record uint64, rest []byte, err error) {
	size := entryHead + 8*k.params.words()
	if len(entries) < size {
		return 0, nil, fmt.Errorf("%w: a frame ends with a part of an entry", memory.ErrCorrupt)
	}
	record, k.restored = binary.LittleEndian.Uint64(entries), int(binary.LittleEndian.Uint32(entries[8:]))
	for i := range k.decoded {
		k.decoded[i] = int8(entries[entryHead+i])
	}
	if k.query.set(k.decoded); k.query.squares == 0 {
		return 0, nil, fmt.Errorf("%w: the entry of record %d is zero", memory.ErrCorrupt, record)
	}
	if k.params.Within {
		k.query.within = binary.LittleEndian.Uint64(entries[size-8:])
	}
	return record, entries[size:], nil
}

// place adds a forgotten row, which affects how lists are split, and so the numbers of the lists of
// later rows.
func (k kind) place() error { return k.Restore(noRecord) }

func (k kind) Restore(record uint64) error {
	if k.restored >= len(k.lists) {
		return fmt.Errorf("%w: an entry of record %d in list %d of %d", memory.ErrCorrupt, record, k.restored,
			len(k.lists))
	}
	k.add(record, k.restored)
	return nil
}
