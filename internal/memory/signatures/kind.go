package signatures

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/postings"
)

const (
	logVersion     = 3
	logVersionSets = 6 // of a log whose entries have sets
)

// kind implements memory.Kind for an Index.
type kind struct{ *Index }

func (k kind) Check(sketches []uint64, records int) error { return k.checkSize(sketches, records) }

func (k kind) Size(sketches []uint64) int { return k.sizeOf(sketches) }

// CheckCapacity returns ErrFull if the index holds as many signatures as it may, even if the record
// is a copy.
func (k kind) CheckCapacity() error {
	if k.params.Capacity > 0 && uint64(k.entries.count) >= k.params.Capacity {
		return memory.ErrFull
	}
	return nil
}

// prefetch prefetches the table entries of the first sketch in sketches.
func (k kind) prefetch(sketches []uint64) {
	putKeys(k.ahead, sketches)
	for i := range k.tables {
		k.tables[i].Prefetch(k.ahead[i])
	}
}

func (k kind) Lookup(sketch []uint64) (best memory.Match, isCopy bool, err error) {
	k.setCurrent(sketch)
	best, isCopy, err = k.best()
	k.isNear = k.params.isNear(best)
	return best, isCopy, err
}

func (k kind) FindIdentical() (record uint64, err error) {
	if k.sealed != nil {
		k.putMarks()
	}
	if !k.params.Sets {
		if entry, isKnown := k.copyOf(k.own); isKnown {
			return k.entries.number(entry), nil
		}
		return 0, nil
	}
	best, isCopy, err := k.bestOfSets()
	if err != nil || !isCopy {
		return 0, err
	}
	return best.Record, nil
}

// Remember implements memory.Kind. Sets are always logged.
func (k kind) Remember(record uint64, log *memory.Log) error {
	if k.params.Sets && log == nil {
		log = k.sets.TemporaryLog(k.params.SpillDir)
	}
	entry, err := k.add(record)
	if err != nil {
		return err
	}
	if log != nil {
		at := k.write(record, log)
		if k.params.Sets {
			k.entries.putSet(entry, memory.PlaceOf(at, k.sets.own.size))
		}
		err = log.EndEntry()
	}
	return errors.Join(err, k.sealFull())
}

// add adds an entry for the current record, without its set.
func (k kind) add(record uint64) (entry uint32, err error) {
	if k.entries.count == math.MaxUint32-1 {
		return 0, memory.ErrFull
	}
	if entry, err = k.entries.add(record, k.own); err != nil {
		return 0, err
	}
	for i := range k.tables {
		if k.isNear && crowd(k).isCrowded(i) {
			continue
		}
		forgotten, has, err := k.tables[i].Insert(k.keys[i], entry, k.params.mostOfKey())
		if err != nil {
			return 0, err
		}
		if !has {
			continue
		}
		if k.forgotten++; i == 0 {
			if err := k.copies.Insert(copyKey(k.entries.signature(forgotten)), forgotten); err != nil {
				return 0, err
			}
		}
	}
	return entry, nil
}

func (k kind) Header() framelog.Header {
	p, version := k.params, uint32(logVersion)
	if p.Sets {
		version = logVersionSets
	}
	slots := uint64(p.slotBits())<<32 | uint64(p.NumPerm)
	return framelog.Header{Holds: "minhash", Version: version,
		Numbers: [3]uint64{slots, uint64(p.Bands), uint64(p.Rows)}}
}

// write starts a log entry with what is needed to restore the current record, and returns the
// offset of its set.
func (k kind) write(record uint64, log *memory.Log) (at int64) {
	log.BeginEntry()
	log.Uint64(record)
	for _, key := range k.keys {
		log.Uint32(key)
	}
	log.Words(k.own)
	if k.params.Sets {
		log.Uint64(uint64(k.sets.own.size) | nearFlag*uint64(boolToInt(k.isNear)))
		at = log.At()
		log.Words(k.sets.own.words)
	}
	return at
}

func (k kind) Decode(entries []byte, at int64) (record uint64, rest []byte, err error) {
	fixed := 8 + 4*len(k.keys) + 8*len(k.decoded)
	if len(entries) < fixed {
		return 0, nil, fmt.Errorf("%w: a frame ends with a part of an entry", memory.ErrCorrupt)
	}
	record = binary.LittleEndian.Uint64(entries)
	for i := range k.keys {
		k.keys[i] = binary.LittleEndian.Uint32(entries[8+4*i:])
		if k.keys[i]>>postings.KeyBits > 0 {
			return 0, nil, fmt.Errorf("%w: a key of record %d has more than %d bits", memory.ErrCorrupt, record,
				postings.KeyBits)
		}
	}
	for i := range k.decoded {
		k.decoded[i] = binary.LittleEndian.Uint64(entries[8+4*len(k.keys)+8*i:])
	}
	k.own, rest = k.decoded, entries[fixed:]
	if k.params.Sets {
		var ok bool
		if rest, k.isNear, ok = k.sets.cut(rest, at+int64(fixed), k.params.SetForm()); !ok {
			return 0, nil, fmt.Errorf("%w: a frame ends with a part of a set", memory.ErrCorrupt)
		}
	}
	return record, rest, nil
}

func (k kind) Restore(record uint64) error {
	entry, err := k.add(record)
	if err != nil {
		return err
	}
	if k.params.Sets {
		k.entries.putSet(entry, k.sets.restored)
	}
	return k.sealFull()
}

// LoggedSets returns the sets in the log; nil without sets.
func (k kind) LoggedSets() *memory.Sets {
	if !k.params.Sets {
		return nil
	}
	return &k.sets.Sets
}
