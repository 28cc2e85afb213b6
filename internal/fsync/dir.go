// Package fsync makes what was done in a directory survive a crash.
package fsync

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Dir makes the names in a directory durable: of files that were made in it, renamed or
// removed.
func Dir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	if err := errors.Join(d.Sync(), d.Close()); err != nil {
		return fmt.Errorf("sync directory %s: %w", dir, err)
	}
	return nil
}

// MkdirAll is os.MkdirAll whose directories survive a crash: the names of those that it makes are
// durable.
func MkdirAll(dir string, mode fs.FileMode) error {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	dir = filepath.Clean(dir)
	parent := filepath.Dir(dir)
	if parent != dir {
		if err := MkdirAll(parent, mode); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(dir, mode); err != nil {
		return err
	}
	return Dir(parent)
}
