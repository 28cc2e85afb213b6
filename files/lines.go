package files

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
)

// EachLine calls do with each line of src, its newline included (also one that the last line
// lacks), and with its place. The line is valid until do returns.
func EachLine(ctx context.Context, src io.Reader, name string,
	do func(line []byte, name string, number uint64) error) error {
	r := bufio.NewReaderSize(src, 1<<20)
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
			if err := do(line, name, number); err != nil {
				return err
			}
			number++
		}
		long = long[:0]
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("%s:%d: %w", name, number, err)
		}
	}
	return context.Cause(ctx)
}
