package filters

import (
	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// An Opening says what filters are opened for.
type Opening struct {
	Method spec.Method
	Keys   identity.KeyKind
	Cores  Cores
	Decide index.Decide // decides a prepared commit; may be nil
	// Records estimates the number of records. It returns 0 if that is unknown.
	Records func() uint64
	// EachKey calls do for the band keys of all records, in order and some at a time, before the
	// run reads them. It is nil if they can be read only once. do does not retain the keys.
	EachKey func(do func(keys []bloomlsh.Key) error) error
	// PartsPerRecord estimates the number of parts of a record, if records are judged by parts.
	PartsPerRecord func() (float64, error)
}

// Cores says which processors an index may use. The zero Cores means one of them.
type Cores struct {
	Threads int               // goroutines that sketch
	Count   int               // processors
	Wide    func(work func()) // calls work with all processors; nil means GOMAXPROCS as it is
}

// Ahead returns how many bytes of batches the judge wants to see in advance.
func Ahead(m spec.Memory) int64 {
	if m.Kind != spec.MemoryBloom {
		return 0
	}
	return AheadOf(m.Limit.Bytes)
}
