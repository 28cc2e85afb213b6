// Package records reads and writes the records of the benchmarks, which are JSON Lines.
package records

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// Read reads the records of a file, of whose members it takes those that T has.
func Read[T any](path string) (all []T, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for in := json.NewDecoder(bufio.NewReaderSize(f, 1<<20)); ; {
		var r T
		switch err := in.Decode(&r); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, fmt.Errorf("%s: record %d: %w", path, len(all)+1, err)
		}
		all = append(all, r)
	}
}

// Write makes a file of what write writes. Errors of single writes are those of the whole.
func Write(path string, write func(w *bufio.Writer) error) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriterSize(f, 1<<20)
	return errors.Join(write(w), w.Flush())
}
