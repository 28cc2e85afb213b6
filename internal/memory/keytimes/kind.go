package keytimes

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
	"github.com/mithril-stream/mithril-stream/internal/memory"
)

const (
	logVersion = 1
	keyBits    = 128
	entryBytes = 8 * (1 + Words)
)

var errFull = fmt.Errorf("%w: it can count 4,294,967,295 records", memory.ErrFull)

// kind implements memory.Kind and memory.Renewing for an Index.
type kind struct{ *Index }

func (k kind) Check(sketches []uint64, records int) error {
	if len(sketches) != Words*records {
		return memory.ErrSize
	}
	return nil
}

func (k kind) Size([]uint64) int { return Words }

func (k kind) CheckCapacity() error {
	if k.Records() >= math.MaxUint32 {
		return errFull
	}
	return nil
}

// is makes a key the current one.
func (k kind) is(a, b uint64, second int64) {
	k.key, k.second = [2]uint64{a, b}, second
	k.place, k.isThere = k.table.find(a, b)
}

func (k kind) Lookup(sketch []uint64) (best memory.Match, isCopy bool, err error) {
	k.is(sketch[0], sketch[1], int64(sketch[2]))
	if !k.isThere {
		return memory.Match{}, false, nil
	}
	e := k.place.entry()
	if e.offset == forgotten || !k.isYoung(k.table.base+int64(e.offset)) {
		return memory.Match{}, false, nil
	}
	return memory.Match{Record: uint64(e.record), Similarity: 1}, true, nil
}

// isYoung reports whether a second is less than the age before the current one.
func (k kind) isYoung(second int64) bool {
	return k.second < math.MinInt64+k.params.Age || second > k.second-k.params.Age
}

func (k kind) FindIdentical() (record uint64, err error) {
	if !k.isThere {
		return 0, nil
	}
	return uint64(k.place.entry().record), nil
}

// Remember replaces the entry of the key if there is one, which has become too old.
func (k kind) Remember(record uint64, log *memory.Log) error {
	if record > math.MaxUint32 {
		return errFull
	}
	if err := k.write(record, false, log); err != nil {
		return err
	}
	return k.put(record, k.offset())
}

// IsRenewal implements memory.Renewing.
func (k kind) IsRenewal() bool { return k.renews }

// Renew implements memory.Renewing. An entry that was forgotten stays so.
func (k kind) Renew(record uint64, log *memory.Log) error {
	if !k.isThere {
		return fmt.Errorf("%w: record %d renews a key that no record had", memory.ErrCorrupt, record)
	}
	e, offset := k.place.entry(), k.offset()
	if e.offset == forgotten || e.offset >= offset {
		return nil
	}
	if err := k.write(record, true, log); err != nil {
		return err
	}
	e.offset = offset
	k.place.set(e)
	return nil
}

// put sets the entry of the current key.
func (x *Index) put(record uint64, offset int32) error {
	err := x.table.put(x.place, x.isThere, x.key[0], x.key[1], entry{uint32(record), offset})
	x.place, x.isThere = place{}, false // the table may have changed
	return err
}

// offset returns the current second as the table stores it. It is exact within 68 years of the
// first one.
func (k kind) offset() int32 {
	if k.table.count == 0 {
		k.table.base = k.second
	}
	difference := k.second - k.table.base
	switch {
	case k.second > k.table.base && difference < 0:
		return math.MaxInt32
	case k.second < k.table.base && difference > 0:
		return forgotten + 1
	}
	return int32(min(max(difference, forgotten+1), math.MaxInt32))
}

// write appends an entry to the log, if there is one.
func (k kind) write(record uint64, renews bool, log *memory.Log) error {
	if log == nil {
		return nil
	}
	time := uint64(k.second) << 1
	if renews {
		time |= 1
	}
	log.BeginEntry()
	log.Uint64(record)
	log.Uint64(time)
	log.Words(k.key[:])
	return log.EndEntry()
}

func (k kind) Header() framelog.Header {
	return framelog.Header{Holds: "keys", Version: logVersion, Numbers: [3]uint64{keyBits, uint64(k.params.Age)}}
}

func (k kind) Decode(entries []byte, _ int64) (record uint64, rest []byte, err error) {
	if len(entries) < entryBytes {
		return 0, nil, fmt.Errorf("%w: a frame ends with a part of an entry", memory.ErrCorrupt)
	}
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(entries[8*i:]) }
	k.renews = word(1)&1 > 0
	k.is(word(2), word(3), int64(word(1))>>1)
	return word(0), entries[entryBytes:], nil
}

func (k kind) Restore(record uint64) error {
	if record > math.MaxUint32 {
		return fmt.Errorf("%w: record %d is one more than can be counted", memory.ErrCorrupt, record)
	}
	return k.Remember(record, nil)
}
