package command

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// verdicts are read from a file of flags, a line for each record.
type verdicts struct {
	src   *bufio.Reader
	close func() error
	name  string
	line  uint64
}

// followVerdicts has records copied whose flag is 1.
func (f *filterRun) followVerdicts() error {
	in := inputsOf([]string{f.c.Verdicts}, f.std.In)[0]
	src, err := in.Open()
	if err != nil {
		return err
	}
	v := &verdicts{src: bufio.NewReaderSize(src, 64<<10), close: src.Close, name: in.Name}
	f.opts.Verdicts, f.ending = v, v.end
	return refuseToMix([]string{f.c.Verdicts}, f.c.Written(), f.std)
}

// Next reads the next flag.
func (v *verdicts) Next() (keep bool, err error) {
	line, err := v.src.ReadSlice('\n')
	v.line++
	flag := bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
	switch {
	case err != nil && err != io.EOF && !errors.Is(err, bufio.ErrBufferFull):
		return false, fmt.Errorf("read %s: %w", v.name, err)
	case len(line) == 0:
		return false, fmt.Errorf("%s:%d: the flags end here, but there are more records", v.name, v.line)
	case len(flag) != 1 || flag[0] != '0' && flag[0] != '1':
		return false, fmt.Errorf("%s:%d: %.20q is neither 0 nor 1", v.name, v.line, flag)
	}
	return flag[0] == '1', nil
}

// end is for when all records are through: then there are no more flags.
func (v *verdicts) end() error {
	_, err := v.src.ReadByte()
	switch {
	case err == nil:
		return fmt.Errorf("%s:%d: there are more flags than records (%d)", v.name, v.line+1, v.line)
	case err != io.EOF:
		return fmt.Errorf("read %s: %w", v.name, err)
	}
	return v.close()
}
