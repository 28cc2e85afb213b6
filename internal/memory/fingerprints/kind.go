package fingerprints

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
	"github.com/mithril-stream/mithril-stream/internal/memory"
)

const (
	logVersion = 1
)

var errFull = fmt.Errorf("%w: it can count 4,294,967,295 records", memory.ErrFull)

// kind implements memory.Kind for an Index.
type kind struct{ *Index }

func (k kind) Check(fingerprints []uint64, records int) error {
	if len(fingerprints) != k.params.Words()*records {
		return memory.ErrSize
	}
	return nil
}

func (k kind) Size([]uint64) int { return k.params.Words() }

func (k kind) CheckCapacity() error {
	if k.Records() >= math.MaxUint32 {
		return errFull
	}
	return nil
}

func (k kind) Lookup(fingerprint []uint64) (best memory.Match, isCopy bool, err error) {
	k.own = fingerprint
	nearest := k.finder.nearest(fingerprint, k.params.Distance)
	return k.match(nearest), nearest.Record > 0 && nearest.Distance == 0, nil
}

func (k kind) FindIdentical() (record uint64, err error) {
	return uint64(k.finder.nearest(k.own, 0).Record), nil
}

func (k kind) Remember(record uint64, log *memory.Log) error {
	if record > math.MaxUint32 {
		return errFull
	}
	if log != nil {
		log.BeginEntry()
		log.Uint64(record)
		log.Words(k.own)
		if err := log.EndEntry(); err != nil {
			return err
		}
	}
	return k.finder.add(k.own, uint32(record))
}

func (k kind) Header() framelog.Header {
	p := k.params
	return framelog.Header{Holds: "prints", Version: logVersion,
		Numbers: [3]uint64{uint64(p.Bits), uint64(p.Distance), uint64(p.Measure)}}
}

func (k kind) Decode(entries []byte, _ int64) (record uint64, rest []byte, err error) {
	if len(entries) < 8*(1+len(k.decoded)) {
		return 0, nil, fmt.Errorf("%w: a frame ends with a part of an entry", memory.ErrCorrupt)
	}
	record, rest = binary.LittleEndian.Uint64(entries), entries[8:]
	for i := range k.decoded {
		k.decoded[i], rest = binary.LittleEndian.Uint64(rest), rest[8:]
	}
	k.own = k.decoded
	return record, rest, nil
}

func (k kind) Restore(record uint64) error {
	if record > math.MaxUint32 {
		return fmt.Errorf("%w: record %d is one more than can be counted", memory.ErrCorrupt, record)
	}
	return k.Remember(record, nil)
}
