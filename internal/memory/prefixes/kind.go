package prefixes

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
	"github.com/mithril-stream/mithril-stream/internal/memory"
)

const logVersion = 2

// numberBits is the number of bits of the record number in an entry. The bits above are the size of
// the set.
const numberBits = 42

// kind implements memory.Kind for an Index.
type kind struct{ *Index }

func (k kind) Check(sketches []uint64, records int) error {
	for range records {
		size := k.params.sizeOf(sketches)
		if size == 0 || len(sketches) < size {
			return memory.ErrSize
		}
		sketches = sketches[size:]
	}
	if len(sketches) > 0 {
		return memory.ErrSize
	}
	return nil
}

func (k kind) Size(sketches []uint64) int { return k.params.sizeOf(sketches) }

// CheckCapacity returns ErrFull if the index cannot take another entry.
func (k kind) CheckCapacity() error {
	if k.entries.count == math.MaxUint32-1 {
		return memory.ErrFull
	}
	return nil
}

func (k kind) Lookup(words []uint64) (best memory.Match, isCopy bool, err error) {
	if err := k.own.set(words); err != nil {
		return best, false, err
	}
	k.putKeys()
	best, isCopy, err = k.best()
	k.cut += uint64(boolToInt(k.isCut && best.Record == 0))
	return best, isCopy, err
}

func (k kind) FindIdentical() (record uint64, err error) {
	k.putKeys()
	best, isCopy, err := k.best()
	if err != nil || !isCopy {
		return 0, err
	}
	return best.Record, nil
}

// Remember implements memory.Kind. Sets are always logged.
func (k kind) Remember(record uint64, log *memory.Log) error {
	if log == nil {
		log = k.sets.TemporaryLog(k.params.SpillDir)
	}
	if record >= 1<<numberBits {
		return fmt.Errorf("%w: record %d", memory.ErrFull, record)
	}
	log.BeginEntry()
	log.Uint64(record | uint64(k.own.size)<<numberBits)
	at := log.At()
	log.Words(k.own.words)
	err := k.add(record, memory.PlaceOf(at, k.own.size))
	return errors.Join(err, log.EndEntry(), k.renewUnless(err))
}

// renewUnless replaces the keys of frequent elements and rebuilds the tables if that is due, unless
// there was an error.
func (k kind) renewUnless(err error) error {
	if err != nil {
		return nil
	}
	return errors.Join(k.pairFrequent(), k.renew())
}

// add adds an entry for the current record.
func (k kind) add(record uint64, at memory.SetPlace) error {
	k.own.row.place = uint64(at)
	entry, err := k.entries.add(record, k.own.mark, k.own.row)
	if err != nil {
		return err
	}
	return k.insert(entry)
}

func (k kind) Header() framelog.Header {
	return framelog.Header{Holds: "sets", Version: logVersion,
		Numbers: [3]uint64{uint64(Form), uint64(k.params.Bands), MostUnbanded}}
}

func (k kind) Decode(entries []byte, at int64) (record uint64, rest []byte, err error) {
	const fixed = 8
	if len(entries) < fixed {
		return 0, nil, fmt.Errorf("%w: a frame ends with a part of an entry", memory.ErrCorrupt)
	}
	first := binary.LittleEndian.Uint64(entries)
	record, size := first&(1<<numberBits-1), first>>numberBits
	words := k.params.wordsOf(int(size))
	if words > (len(entries)-fixed)/8 {
		return 0, nil, fmt.Errorf("%w: a frame ends with a part of a set", memory.ErrCorrupt)
	}
	k.decoded = slices.Grow(k.decoded[:0], 1+words)[:1+words]
	k.decoded[0] = size
	for i := range words {
		k.decoded[1+i] = binary.LittleEndian.Uint64(entries[fixed+8*i:])
	}
	k.restored = memory.PlaceOf(at+fixed, int(size))
	return record, entries[fixed+8*words:], k.own.set(k.decoded)
}

func (k kind) Restore(record uint64) error {
	k.putKeys()
	return k.renewUnless(k.add(record, k.restored))
}

// LoggedSets returns the sets in the log.
func (k kind) LoggedSets() *memory.Sets { return &k.sets }
