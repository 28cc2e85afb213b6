package onnx

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"sync"

	"github.com/mithril-stream/mithril-stream/sketch/embedding"
)

// Program is the name of the child, and Variable names its file if it is neither next to this
// program nor in the PATH.
const (
	Program  = "mithril-onnx"
	Variable = "MITHRIL_ONNX"
)

// ErrNoProgram is returned if the child program is not installed.
var ErrNoProgram = errors.New(Program + ", which runs ONNX models, was not found: install it with " +
	"go install github.com/mithril-stream/mithril-stream/" + Program + "@latest, or name its file in " + Variable)

// find returns the path of the program.
func find() (string, error) {
	if path := os.Getenv(Variable); path != "" {
		return path, nil
	}
	if own, err := os.Executable(); err == nil {
		if path, err := exec.LookPath(filepath.Join(filepath.Dir(own), Program)); err == nil {
			return path, nil
		}
	}
	path, err := exec.LookPath(Program)
	if err != nil {
		return "", ErrNoProgram
	}
	return path, nil
}

// The child reads, for each run of the model, the number of tokens and the tokens, each of 32 bits.
// It answers with a kind, the length of what follows as 32 bits, and that: hello once, with the
// version of ONNX Runtime; vectors, with the number of rows, the number of dimensions, and the
// rows as floats of 32 bits; or problem, with a message, after which it ends. Numbers are
// little-endian. The child ends when there is nothing more to read.
const (
	hello   = 'H'
	vectors = 'V'
	problem = 'E'

	answerHead  = 1 + 4 // kind, length of the rest
	vectorsHead = 4 + 4 // rows, dimensions
	longMessage = 64 << 10
)

// A child is a process that runs the model.
type child struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	version string // of ONNX Runtime

	waiting sync.Once
	status  error // how it ended, once it has been waited for

	request []byte
	payload []byte
	values  []float32
}

// startChild starts a child, and waits until it has opened the model.
func startChild(model string) (*child, error) {
	program, err := find()
	if err != nil {
		return nil, err
	}
	c := &child{cmd: exec.Command(program, model)}
	c.cmd.Stderr = os.Stderr
	leaveSignals(c.cmd)
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	c.out = bufio.NewReaderSize(out, 1<<16)
	version, err := c.answer(hello, longMessage)
	if err != nil {
		c.close()
		return nil, err
	}
	c.version = string(version)
	return c, nil
}

// rows are the vectors of tokens, concatenated.
type rows struct {
	dims   int
	values []float32
}

// run returns the model's output for tokens: a row for each of them, or one for all. It is valid
// until the next call.
func (c *child) run(ids []uint32) (rows, error) {
	c.request = binary.LittleEndian.AppendUint32(c.request[:0], uint32(len(ids)))
	for _, id := range ids {
		c.request = binary.LittleEndian.AppendUint32(c.request, id)
	}
	if _, err := c.in.Write(c.request); err != nil {
		return rows{}, c.ended(err)
	}
	payload, err := c.answer(vectors, vectorsHead+4*len(ids)*embedding.MaxDims)
	if err != nil {
		return rows{}, err
	}
	if len(payload) < vectorsHead {
		return rows{}, fmt.Errorf("%s: an answer of %d bytes is too short", Program, len(payload))
	}
	count, dims := int(binary.LittleEndian.Uint32(payload)), int(binary.LittleEndian.Uint32(payload[4:]))
	if dims < 1 || dims > embedding.MaxDims || count != 1 && count != len(ids) ||
		len(payload) != vectorsHead+4*count*dims {
		return rows{}, fmt.Errorf("%s: %d rows of %d dimensions in %d bytes, for %d tokens", Program, count, dims,
			len(payload), len(ids))
	}
	c.values = c.values[:0]
	for payload = payload[vectorsHead:]; len(payload) > 0; payload = payload[4:] {
		c.values = append(c.values, math.Float32frombits(binary.LittleEndian.Uint32(payload)))
	}
	return rows{dims, c.values}, nil
}

// answer reads an answer of a kind, of at most that many bytes. The slice is valid until the next
// call.
func (c *child) answer(kind byte, most int) ([]byte, error) {
	var head [answerHead]byte
	if _, err := io.ReadFull(c.out, head[:]); err != nil {
		return nil, c.ended(err)
	}
	size := int(binary.LittleEndian.Uint32(head[1:]))
	if head[0] == problem {
		most = longMessage
	}
	if size > most || head[0] != kind && head[0] != problem {
		return nil, fmt.Errorf("%s: an answer of the kind %q and %d bytes: is it another program?", Program, head[0],
			size)
	}
	if cap(c.payload) < size {
		c.payload = make([]byte, size)
	}
	c.payload = c.payload[:size]
	if _, err := io.ReadFull(c.out, c.payload); err != nil {
		return nil, c.ended(err)
	}
	if head[0] == problem {
		return nil, errors.New(string(c.payload))
	}
	return c.payload, nil
}

// ended returns the error for how the child ended.
func (c *child) ended(err error) error {
	c.in.Close()
	if status := c.wait(); status != nil {
		err = status
	}
	return fmt.Errorf("%s has ended: %w", Program, err)
}

// close kills the child. It may be called while another goroutine uses it.
func (c *child) close() {
	c.in.Close()
	c.cmd.Process.Kill()
	c.wait()
}

func (c *child) wait() error {
	c.waiting.Do(func() { c.status = c.cmd.Wait() })
	return c.status
}
