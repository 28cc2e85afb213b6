package dedup

import (
	"errors"
	"fmt"
	"slices"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/journal"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/method"
)

// Every error of this package is of one of five kinds, which errors.As finds: a ConfigError, an
// IOError, a MemoryError, a ParseError or a DocumentError. The error of a context stays what it is.

// A ConfigError says which of the Options has no meaning, or is not what Index was made with, which
// is bloomlsh.ErrParameters.
type ConfigError struct {
	Option string // its name; "field" is the option of Filter
	Err    error
}

func (e *ConfigError) Error() string { return e.Option + ": " + e.Err.Error() }

// Unwrap returns the reason.
func (e *ConfigError) Unwrap() error { return e.Err }

// An IOError says what could not be read or written. The directory of an index may also be damaged,
// or in use: see the errors of package bloomlsh.
type IOError struct {
	Of  string // Index, or what Filter reads and writes: input, output
	Err error
}

func (e *IOError) Error() string { return e.Of + ": " + e.Err.Error() }

// Unwrap returns the reason.
func (e *IOError) Unwrap() error { return e.Err }

// A MemoryError says that no text more can be remembered: how many bytes are used, or would be with
// what is needed next, and how many may be, by Options.MaxMemory or since the machine has no more.
type MemoryError struct {
	Used, Limit uint64
	Err         error
}

func (e *MemoryError) Error() string {
	return fmt.Sprintf("%v: %d bytes are used or needed, and %d may be", e.Err, e.Used, e.Limit)
}

// Unwrap returns the reason.
func (e *MemoryError) Unwrap() error { return e.Err }

// A ParseError names the first line that is no record: what stands there is not JSON, no object, or
// too long.
type ParseError struct {
	Line    uint64 // from 1
	Problem string
}

func (e *ParseError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Problem) }

// A DocumentError names the first record that has no text: the field is missing, null or no string.
type DocumentError struct {
	Line    uint64 // from 1
	Field   string
	Problem string
}

func (e *DocumentError) Error() string {
	return fmt.Sprintf("line %d: %s: %q", e.Line, e.Problem, e.Field)
}

// openError classifies an error from opening a memory.
func (o Options) openError(err error) error {
	switch {
	case errors.As(err, new(*ConfigError)), errors.As(err, new(*MemoryError)):
		return err
	case errors.Is(err, bloomlsh.ErrMemory) || errors.Is(err, memory.ErrMemory):
		return o.memoryError(err, 0)
	case o.Index == "": // the threshold is checked before, so that nothing else is left
		return &ConfigError{"Capacity", err}
	case errors.Is(err, bloomlsh.ErrParameters):
		if isExact, failed := method.HasLog(o.Index); failed == nil && isExact != o.Exact {
			return &ConfigError{"Exact", err}
		}
		return &ConfigError{"Index", err}
	}
	return &IOError{"Index", err}
}

// sessionError classifies an error of an index that is used, or of its run.
func (o Options) sessionError(err error) error {
	if errors.As(err, new(journal.NamedError)) {
		return &ConfigError{"Run", err}
	}
	return &IOError{"Index", err}
}

// judgeError classifies an error from judging a text, after that many bytes were used.
func (o Options) judgeError(err error, used uint64) error {
	noRoom := []error{memory.ErrFull, bloomlsh.ErrFull, memory.ErrMemory, bloomlsh.ErrMemory}
	switch {
	case slices.ContainsFunc(noRoom, func(target error) bool { return errors.Is(err, target) }):
		return o.memoryError(err, used)
	case o.Index != "":
		return o.sessionError(err)
	}
	return err
}

func (o Options) memoryError(err error, used uint64) error {
	limit := o.MaxMemory
	if short := (*bloomlsh.MemoryError)(nil); errors.As(err, &short) {
		used, limit = short.Needed, short.Limit
	} else if limit == 0 {
		limit, _ = bloomlsh.UsableMemory()
	}
	return &MemoryError{used, limit, err}
}
