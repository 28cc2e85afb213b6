package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// sources are the inputs of a command that reads its records twice. Standard input is kept in a temporary file.
type sources []source

type source struct {
	name string
	file *os.File
}

func openSources(paths []string, stdin *os.File, tempDir string) (_ sources, err error) {
	var list sources
	defer func() {
		if err != nil {
			err = errors.Join(err, list.close())
		}
	}()
	for _, path := range paths {
		s := source{name: path}
		if path == "-" {
			s.name = "stdin"
			s.file, err = spool(stdin, tempDir)
		} else {
			s.file, err = os.Open(path)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// spool copies standard input to a file that nobody else sees.
func spool(in *os.File, dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, "mithril-stream-*")
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(f, in); err != nil {
		return nil, errors.Join(fmt.Errorf("copy stdin to %s: %w", f.Name(), err), f.Close(), os.Remove(f.Name()))
	}
	return f, os.Remove(f.Name())
}

func (list sources) close() error {
	var errs []error
	for _, s := range list {
		errs = append(errs, s.file.Close())
	}
	return errors.Join(errs...)
}

// each calls do with each line of all sources, its newline included (also one that the last line of a file lacks), and with its
// place. The line is valid until do returns.
func (list sources) each(ctx context.Context, do func(line []byte, name string, number uint64) error) error {
	for _, s := range list {
		if _, err := s.file.Seek(0, io.SeekStart); err != nil {
			return err
		}
		if err := s.lines(ctx, do); err != nil {
			return err
		}
	}
	return nil
}

func (s source) lines(ctx context.Context, do func(line []byte, name string, number uint64) error) error {
	r := bufio.NewReaderSize(s.file, 1<<20)
	var long []byte // a line that is longer than the buffer
	for number := uint64(1); ctx.Err() == nil; {
		part, err := r.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			long = append(long, part...)
			continue
		}
		line := part
		if len(long) > 0 {
			long = append(long, part...)
			line = long
		}
		if len(line) > 0 && err == io.EOF {
			line = append(line[:len(line):len(line)], '\n')
		}
		if len(line) > 0 && (err == nil || err == io.EOF) {
			if err := do(line, s.name, number); err != nil {
				return err
			}
			number++
		}
		long = long[:0]
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("%s:%d: %w", s.name, number, err)
		}
	}
	return context.Cause(ctx)
}
