package program

import (
	"errors"
	"flag"
	"log"
	"os"
	"path/filepath"
)

// Flag declares the flag that names the program. Its value is an absolute path, since commands run
// in directories of their own.
func Flag() *string {
	const usual = "../bin/mithril-stream"
	path := new(string)
	set := func(s string) (err error) {
		*path, err = filepath.Abs(s)
		return err
	}
	if err := set(usual); err != nil {
		log.Fatal(err)
	}
	flag.Func("program", "the program to measure (default "+usual+")", set)
	return path
}

// Main reads the flags, which the caller has declared, and runs a benchmark in a new directory that
// is gone when it ends. Usage is what it says if there are not as many inputs as it takes, which
// are any number if that is negative.
func Main(inputs int, usage string, run func(dir string) error) {
	log.SetFlags(0)
	flag.Parse()
	if inputs >= 0 && flag.NArg() != inputs {
		log.Fatal("usage: " + usage)
	}
	if err := InTemp(run); err != nil {
		log.Fatal(err)
	}
}

// InTemp runs something with a directory that is gone when it ends.
func InTemp(run func(dir string) error) (err error) {
	dir, err := os.MkdirTemp("", "mithril-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	return run(dir)
}
