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

// WriteEach makes a file of a record for each of some values. No character is escaped that need not
// be.
func WriteEach[V any](path string, values []V, record func(i int, value V) any) error {
	return Write(path, func(w *bufio.Writer) error {
		encoder := json.NewEncoder(w)
		encoder.SetEscapeHTML(false)
		for i, value := range values {
			if err := encoder.Encode(record(i, value)); err != nil {
				return err
			}
		}
		return nil
	})
}

// Write makes a file of what write writes. It returns the first error of a single write.
func Write(path string, write func(w *bufio.Writer) error) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriterSize(f, 1<<20)
	return errors.Join(write(w), w.Flush())
}
