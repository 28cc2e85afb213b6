// Package offheap has memory outside the Go heap, for what is large and grows: there it is gone at
// once when it is given back, not when the heap has doubled.
package offheap

import "errors"

// ErrMemory is the error of memory that the system does not give.
var ErrMemory = errors.New("not enough memory")
