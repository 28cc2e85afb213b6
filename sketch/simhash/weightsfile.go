package simhash

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/internal/parameter"
)

// Parameter is a name and a value that the shingles of a table depend on.
type Parameter = parameter.Parameter

// ErrCorrupt is returned if a file is not a table of weights, is damaged, or is incomplete.
var ErrCorrupt = errors.New("not a whole table of weights")

// A table is a text file, which may be compressed. Fields are separated by tabs:
//
//	mithril-stream idf 1
//	parameter  name  value   markup, normalize, tokenize and shingle-size
//	texts      N             records that were counted
//	others     weight        of shingles that are not listed
//	hash       weight        16 hexadecimal digits, ascending, at most 1<<24 lines; at most 65,535
//	xxh3       sum           XXH3-64 of all bytes before, 16 hexadecimal digits
//
// A shingle in df of N records weighs max(1, round(16*ln((1+N)/(1+df)))).
const (
	firstLine  = "mithril-stream idf 1\n"
	textsName  = "texts\t"
	othersName = "others\t"
	sumName    = "xxh3\t"
	longLine   = 64 << 10
)

// Write writes a table, with the parameters of its shingles.
func (w *Weights) Write(out io.Writer, parameters []Parameter) error {
	b := []byte(firstLine)
	for _, p := range parameters {
		b = parameter.AppendLine(b, p)
	}
	b = w.appendEntries(b)
	b = fmt.Appendf(b, "%s%016x\n", sumName, xxh3.Hash(b))
	_, err := out.Write(b)
	return err
}

// appendEntries appends all lines but those of parameters.
func (w *Weights) appendEntries(b []byte) []byte {
	b = fmt.Appendf(b, "%s%d\n%s%d\n", textsName, w.Texts, othersName, w.others)
	for i, h := range w.hashes {
		for shift := 60; shift >= 0; shift -= 4 {
			b = append(b, "0123456789abcdef"[h>>shift&15])
		}
		b = append(b, '\t')
		b = strconv.AppendUint(b, uint64(w.weights[i]), 10)
		b = append(b, '\n')
	}
	return b
}

// ReadWeights reads a table and the parameters of its shingles.
func ReadWeights(in io.Reader) (*Weights, []Parameter, error) {
	r := tableReader{lines: bufio.NewReaderSize(in, longLine), sum: xxh3.New()}
	w, parameters, err := r.read()
	if err != nil {
		return nil, nil, fmt.Errorf("line %d: %w", r.line, err)
	}
	w.index()
	return w, parameters, nil
}

type tableReader struct {
	lines *bufio.Reader
	sum   *xxh3.Hasher
	line  int
}

// next returns the next line with its line feed, valid until the next call.
func (r *tableReader) next() ([]byte, error) {
	r.line++
	line, err := r.lines.ReadSlice('\n')
	switch {
	case err == bufio.ErrBufferFull:
		return nil, fmt.Errorf("%w: it is too long", ErrCorrupt)
	case err == io.EOF:
		return nil, fmt.Errorf("%w: it ends here", ErrCorrupt)
	}
	return line, err
}

func (r *tableReader) read() (*Weights, []Parameter, error) {
	line, err := r.next()
	if err == nil && string(line) != firstLine {
		err = fmt.Errorf("%w: it must be %q", ErrCorrupt, firstLine)
	}
	if err != nil {
		return nil, nil, err
	}
	w := &Weights{}
	var parameters []Parameter
	for err == nil && !bytes.HasPrefix(line, []byte(sumName)) {
		r.sum.Write(line)
		if line, err = r.next(); err == nil {
			parameters, err = w.parseLine(strings.TrimSuffix(string(line), "\n"), parameters)
		}
	}
	if err != nil {
		return nil, nil, err
	}
	if string(line) != fmt.Sprintf("%s%016x\n", sumName, r.sum.Sum64()) {
		return nil, nil, fmt.Errorf("%w: the checksum is wrong", ErrCorrupt)
	}
	if _, err := r.lines.ReadByte(); err != io.EOF {
		return nil, nil, fmt.Errorf("%w: something follows the checksum", ErrCorrupt)
	}
	if w.others == 0 {
		return nil, nil, fmt.Errorf("%w: no line says what others weigh", ErrCorrupt)
	}
	return w, parameters, parameter.CheckNames(parameters)
}

// parseLine parses a line other than the first one.
func (w *Weights) parseLine(line string, parameters []Parameter) ([]Parameter, error) {
	p, ok, err := parameter.ParseLine(line)
	if ok {
		if err != nil {
			err = fmt.Errorf("%w: %w", ErrCorrupt, err)
		}
		return append(parameters, p), err
	}
	if strings.HasPrefix(line, sumName) {
		return parameters, nil
	}
	name, value, _ := strings.Cut(line, "\t")
	number, err := strconv.ParseUint(value, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("%w: %q has no number after a tab", ErrCorrupt, line)
	}
	switch name + "\t" {
	case textsName:
		w.Texts = number
	case othersName:
		w.others = uint16(min(number, 1<<16-1))
	default:
		return parameters, w.addShingle(name, number)
	}
	return parameters, nil
}

// addShingle adds a shingle, which must come after the previous one.
func (w *Weights) addShingle(hash string, weight uint64) error {
	h, err := strconv.ParseUint(hash, 16, 64)
	switch {
	case err != nil || len(hash) != 16 || weight < 1 || weight > 1<<16-1:
		return fmt.Errorf("%w: %q is no shingle, or %d no weight", ErrCorrupt, hash, weight)
	case len(w.hashes) > 0 && h <= w.hashes[len(w.hashes)-1]:
		return fmt.Errorf("%w: shingle %s does not come after the one before it", ErrCorrupt, hash)
	case len(w.hashes) == MostWeights:
		return fmt.Errorf("%w: it has more than %d shingles", ErrCorrupt, MostWeights)
	}
	w.hashes, w.weights = append(w.hashes, h), append(w.weights, uint16(weight))
	return nil
}
