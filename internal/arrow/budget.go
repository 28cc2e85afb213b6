package arrow

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow/memory"
)

// Limits on the memory of an input whose texts may have up to maxRecord bytes. They are far above
// what useful inputs need.
const (
	// bytes of a message, and of its decompressed buffers
	minMessage, messagesARecord = 1 << 30, 16
	minRow, rowsARecord         = 256 << 20, 4 // bytes of a row as JSON
	maxRows                     = 1<<31 - 1    // of a batch
)

// limits bound an input, in bytes.
type limits struct{ message, row int64 }

func newLimits(maxRecord int) limits {
	return limits{
		max(minMessage, messagesARecord*int64(maxRecord)), max(minRow, rowsARecord*int64(maxRecord)),
	}
}

// A limitError is returned if something exceeds its limit.
type limitError struct{ limit int64 }

func (e limitError) Error() string {
	return fmt.Sprintf("a batch takes more than %d MiB of memory: if it is meant to, give a larger --max-record, of "+
		"which it may take %d", e.limit>>20, messagesARecord)
}

// A budget is the allocator of a reader. It bounds the memory of a message and panics beyond that;
// callers of the library turn the panic into an error.
type budget struct {
	memory.Allocator
	limit, spent int64
}

func newBudget(l limits) *budget {
	return &budget{Allocator: memory.NewGoAllocator(), limit: l.message}
}

func (b *budget) reset() { b.spent = 0 }

func (b *budget) spend(size int) {
	if size < 0 || int64(size) > b.limit-b.spent {
		panic(limitError{b.limit})
	}
	b.spent += int64(size)
}

func (b *budget) Allocate(size int) []byte {
	b.spend(size)
	return b.Allocator.Allocate(size)
}

func (b *budget) Reallocate(size int, old []byte) []byte {
	b.spend(size)
	return b.Allocator.Reallocate(size, old)
}
