// Command mithril-onnx runs an ONNX model with ONNX Runtime. It is started by mithril-stream.
//
//	mithril-onnx MODEL.onnx
//
// It is a separate program, so that mithril-stream itself is static and needs no C library. It
// reads the tokens of one text after the other from standard input, and writes the output of the
// model for each to standard output. sketch/onnx/child.go of mithril-stream defines both.
package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "mithril-onnx: call it as mithril-onnx MODEL.onnx; mithril-stream does so")
		os.Exit(2)
	}
	out := bufio.NewWriter(os.Stdout)
	s, err := openSession(os.Args[1])
	if err == nil {
		err = answer(out, hello, []byte(s.version))
	}
	if err == nil {
		err = serve(s, bufio.NewReader(os.Stdin), out)
	}
	if err != nil {
		if answer(out, problem, []byte(err.Error())) != nil {
			fmt.Fprintln(os.Stderr, "mithril-onnx:", err)
		}
		os.Exit(1)
	}
}

// The kinds of answers.
const (
	hello   = 'H' // the version of ONNX Runtime: the model is open
	vectors = 'V' // rows, dimensions, and the rows
	problem = 'E' // a message about a fatal error
)

// mostTokens bounds the length that is accepted.
const mostTokens = 1 << 16

// serve answers one text after the other until the input ends.
func serve(s *session, in io.Reader, out *bufio.Writer) error {
	var ids []int64
	var payload []byte
	for {
		var count uint32
		if err := binary.Read(in, binary.LittleEndian, &count); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if count < 1 || count > mostTokens {
			return fmt.Errorf("%d tokens: there must be between 1 and %d", count, mostTokens)
		}
		tokens := make([]uint32, count)
		if err := binary.Read(in, binary.LittleEndian, tokens); err != nil {
			return errors.Join(errors.New("the tokens of a text end too early"), err)
		}
		ids = ids[:0]
		for _, token := range tokens {
			ids = append(ids, int64(token))
		}
		rows, dims, values, err := s.run(ids)
		if err != nil {
			return err
		}
		payload = binary.LittleEndian.AppendUint32(payload[:0], uint32(rows))
		payload = binary.LittleEndian.AppendUint32(payload, uint32(dims))
		for _, v := range values {
			payload = binary.LittleEndian.AppendUint32(payload, math.Float32bits(v))
		}
		if err := answer(out, vectors, payload); err != nil {
			return err
		}
	}
}

// answer writes an answer: its kind, the length of the rest, and the rest.
func answer(out *bufio.Writer, kind byte, payload []byte) error {
	out.WriteByte(kind)
	out.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(payload))))
	out.Write(payload)
	return out.Flush()
}
