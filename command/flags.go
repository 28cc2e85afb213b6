package command

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/mithril-stream/mithril-stream/stream"
)

// A flagReader is the judge that follows a file of flags, a line for each record.
type flagReader struct {
	src   *bufio.Reader
	close func() error
	name  string
	line  uint64
}

// followFlags has records copied whose flag is 1.
func (f *filterRun) followFlags() error {
	in := inputsOf([]string{f.c.Verdicts}, f.std)[0]
	src, err := in.Open()
	if err != nil {
		return err
	}
	r := &flagReader{src: bufio.NewReaderSize(src, 64<<10), close: src.Close, name: in.Name}
	f.opts.Method = stream.Method{Judge: r, DecidesAll: true}
	f.ending = r.end
	return refuseToMix([]string{f.c.Verdicts}, f.c.Written(), f.std)
}

// Judge reads a flag for each record.
func (r *flagReader) Judge(_ stream.Batch, out []stream.Verdict) (judged int, err error) {
	for i := range out {
		keep, err := r.next()
		if err != nil {
			return i, err
		}
		out[i] = stream.Verdict{Duplicate: !keep}
	}
	return len(out), nil
}

func (r *flagReader) next() (keep bool, err error) {
	line, err := r.src.ReadSlice('\n')
	r.line++
	flag := bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
	switch {
	case err != nil && err != io.EOF && !errors.Is(err, bufio.ErrBufferFull):
		return false, fmt.Errorf("read %s: %w", r.name, err)
	case len(line) == 0:
		return false, fmt.Errorf("%s:%d: the flags end here, but there are more records", r.name, r.line)
	case len(flag) != 1 || flag[0] != '0' && flag[0] != '1':
		return false, fmt.Errorf("%s:%d: %.20q is neither 0 nor 1", r.name, r.line, flag)
	}
	return flag[0] == '1', nil
}

// end is for when all records are through: then there are no more flags.
func (r *flagReader) end() error {
	_, err := r.src.ReadByte()
	switch {
	case err == nil:
		return fmt.Errorf("%s:%d: there are more flags than records (%d)", r.name, r.line+1, r.line)
	case err != io.EOF:
		return fmt.Errorf("read %s: %w", r.name, err)
	}
	return r.close()
}
