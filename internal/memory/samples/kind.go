package samples

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/sketch/fracminhash"
)

const (
	logVersion = 2
)

var errFull = fmt.Errorf("%w: it can have 2,147,483,645 samples", memory.ErrFull)

// kind implements memory.Kind for an Index.
type kind struct{ *Index }

func (k kind) Check(sketches []uint64, records int) error {
	for range records {
		size := fracminhash.SizeOf(sketches)
		if len(sketches) < size || !k.accepts(fracminhash.Read(sketches[:size])) {
			return memory.ErrSize
		}
		sketches = sketches[size:]
	}
	if len(sketches) > 0 {
		return memory.ErrSize
	}
	return nil
}

// accepts reports whether a sketch fits the parameters of the index.
func (k kind) accepts(s fracminhash.Sketch) bool {
	return len(s.Hashes) > 0 && s.Level <= k.top && (!s.IsSet || k.params.hasSets()) &&
		(s.Finer() == 0 || k.params.hasFiner())
}

func (k kind) Size(sketches []uint64) int { return fracminhash.SizeOf(sketches) }

func (k kind) CheckCapacity() error {
	if k.entries.count == mostEntries {
		return errFull
	}
	return nil
}

func (k kind) Lookup(words []uint64) (best memory.Match, isCopy bool, err error) {
	k.setCurrent(words)
	k.logged = loggedCopy{}
	entry, known, err := k.copyOf()
	switch {
	case err != nil:
		return memory.Match{}, false, err
	case known:
		return k.entries.match(found{entry: entry, share: 1}), true, nil
	}
	f, isOne, err := k.best()
	if err != nil || !isOne {
		return memory.Match{}, false, err
	}
	return k.entries.match(f), false, nil
}

// A loggedCopy is what a log says about the current entry: its record, and the first record that it
// is a copy of, or 0. Both are 0 for a record that is looked up instead of read.
type loggedCopy struct{ record, of uint64 }

// originalOf returns the entry that the current record is a copy of. record is its number now,
// which is larger than in the log it was read from if a memory with other records absorbs the log.
// Then the record may be a copy of one that only this memory knows: without looking for that,
// hashes that both have would count as if different texts had them, and be worth less.
func (k kind) originalOf(record uint64) (entry uint32, isCopy bool, err error) {
	if k.logged.record == 0 {
		entry, isCopy = originalOf(k.alike)
		return entry, isCopy, nil
	}
	shift, of := record-k.logged.record, uint64(0)
	if k.logged.of != 0 {
		of = shift + k.logged.of
		if entry, ok := k.entries.ofRecord(of); ok {
			return entry, true, nil
		}
		if entry, ok := k.orphans[of]; ok {
			return entry, true, nil
		}
	}
	if shift > 0 {
		if _, _, err := k.best(); err != nil {
			return 0, false, err
		}
		entry, isCopy = originalOf(k.alike)
	}
	if of != 0 {
		if k.orphans == nil {
			k.orphans = map[uint64]uint32{}
		}
		k.orphans[of] = entry
		if !isCopy {
			k.orphans[of] = k.entries.count // the first copy of a forgotten record takes its place
		}
	}
	return entry, isCopy, nil
}

func (k kind) FindIdentical() (record uint64, err error) {
	entry, isKnown, err := k.copyOf()
	if err != nil || !isKnown {
		return 0, err
	}
	return k.entries.match(found{entry: entry, share: 1}).Record, nil
}

func (k kind) Remember(record uint64, log *memory.Log) error {
	log = k.setLog(log)
	original, isCopy, err := k.originalOf(record)
	if err != nil {
		return err
	}
	entry, err := k.add(record, original, isCopy)
	if err != nil || log == nil {
		return err
	}
	origin := uint64(0)
	if isCopy {
		origin = k.entries.record(*k.entries.originAt(entry))
	}
	log.BeginEntry()
	log.Uint64(record)
	log.Uint64(origin)
	log.Uint64(k.words[0])
	at := log.At()
	log.Words(k.words[1:])
	if k.own.IsSet {
		k.entries.putSet(entry, memory.PlaceOf(at, len(k.words)-1))
	}
	return log.EndEntry()
}

func (k kind) Header() framelog.Header {
	beside := map[fracminhash.Beside]uint64{fracminhash.Set: 1, fracminhash.Finer: 2}[k.params.Beside]
	return framelog.Header{Holds: "samples", Version: logVersion,
		Numbers: [3]uint64{uint64(k.params.Scale), Common, beside}}
}

func (k kind) Decode(entries []byte, at int64) (record uint64, rest []byte, err error) {
	const fixed = 3 * 8
	if len(entries) < fixed {
		return 0, nil, fmt.Errorf("%w: a frame ends with a part of an entry", memory.ErrCorrupt)
	}
	record = binary.LittleEndian.Uint64(entries)
	k.logged = loggedCopy{record, binary.LittleEndian.Uint64(entries[8:])}
	if k.logged.of >= record {
		return 0, nil, fmt.Errorf("%w: the entry of record %d is a copy of record %d, which is no earlier one",
			memory.ErrCorrupt, record, k.logged.of)
	}
	k.decoded = append(k.decoded[:0], binary.LittleEndian.Uint64(entries[16:]))
	size := fracminhash.SizeOf(k.decoded)
	if size-1 > (len(entries)-fixed)/8 {
		return 0, nil, fmt.Errorf("%w: a frame ends with a part of a sample", memory.ErrCorrupt)
	}
	k.decoded = slices.Grow(k.decoded, size-1)[:size]
	for i := 1; i < size; i++ {
		k.decoded[i] = binary.LittleEndian.Uint64(entries[16+8*i:])
	}
	s := fracminhash.Read(k.decoded)
	if !k.accepts(s) || !s.IsSound() {
		return 0, nil, fmt.Errorf("%w: the entry of record %d is no sample", memory.ErrCorrupt, record)
	}
	k.place = 0
	if s.IsSet {
		k.place = memory.PlaceOf(at+fixed, size-1)
	}
	k.setCurrent(k.decoded)
	return record, entries[16+8*size:], nil
}

func (k kind) Restore(record uint64) error {
	original, isCopy, err := k.originalOf(record)
	if err != nil {
		return err
	}
	entry, err := k.add(record, original, isCopy)
	if err == nil && k.params.hasSets() {
		k.entries.putSet(entry, k.place)
	}
	return err
}

// LoggedSets returns the sets in the log; nil without sets.
func (k kind) LoggedSets() *memory.Sets {
	if !k.params.hasSets() {
		return nil
	}
	return &k.sets
}
