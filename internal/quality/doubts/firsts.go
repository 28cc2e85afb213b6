package doubts

import (
	"sync"
	"sync/atomic"
)

// mostFirsts is how many firsts are remembered.
const mostFirsts = 4096

// firsts holds, for keys that are hashes, the value of the first record with each. If there are
// more than mostFirsts, it examines only a part of the keys: of the records of a key either all, or
// none after a certain one.
type firsts[V any] struct {
	every atomic.Uint64 // only keys divisible by it are examined; 0 before the first record
	lock  sync.Mutex
	of    map[uint64]V
}

// examines reports whether a key is examined. The low bits of the key decide, so a caller may ask
// with those alone.
func (f *firsts[V]) examines(key uint64) bool { return key%max(1, f.every.Load()) == 0 }

// meet returns the first value of a key, and how many records this one stands for: none if its key
// is not examined. If it is the first of its key, its value is remembered, and known is false.
// The caller holds the lock.
func (f *firsts[V]) meet(key uint64, value V) (first V, known bool, weight uint64) {
	if !f.examines(key) {
		return first, false, 0
	}
	weight = max(1, f.every.Load())
	if first, known = f.of[key]; known {
		return first, true, weight
	}
	if f.of == nil {
		f.of = map[uint64]V{}
	}
	f.of[key] = value
	for every := weight; len(f.of) > mostFirsts; {
		every *= 2
		for key := range f.of {
			if key%every != 0 {
				delete(f.of, key)
			}
		}
		f.every.Store(every)
	}
	return value, false, weight
}
