package sketchfile

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/parameter"
	"github.com/zeebo/xxh3"
)

const (
	plain     = "1" // version of a file with keys only
	extended  = "2" // version of a file with further words after the keys of each record
	opening   = "mithril-stream sketches\n"
	maxHeader = 64 << 10

	blockMagic    = "recs"
	endMagic      = "done"
	headSize      = 16 // bytes of a block before its payload
	checksumSize  = 8
	maxPayload    = 1 << 21
	endPayload    = 16
	endSize       = headSize + endPayload + checksumSize
	keySize       = 16
	maxBands      = 1 << 16
	maxProblems   = 255
	wordSize      = 8
	maxWords      = 1 << 14
	bandsName     = "bands"
	wordsName     = "words"
	payloadTarget = 256 << 10 // a writer's block is complete at this size, or with one record
)

// Key is a band key.
type Key = xxh3.Uint128

var (
	// ErrCorrupt is returned if a file is not a sketch file, is damaged, or is incomplete.
	ErrCorrupt = errors.New("not a whole sketch file")
	// ErrForeign is wrapped along with ErrCorrupt if a file is something else.
	ErrForeign = errors.New("it does not begin as a sketch file")
	// ErrVersion is returned if a file was written by a newer version of the program.
	ErrVersion = errors.New("unknown version of the sketch-file format")
)

// Parameter is a name and a value that band keys depend on.
type Parameter = parameter.Parameter

// Header describes what the records of a file have in common.
type Header struct {
	// everything that determines the keys; one is bands, another may be words
	Parameters []Parameter
	Problems   []string // reasons why a record may have no keys, numbered from 1
}

// Bands returns the number of keys of a record.
func (h Header) Bands() int {
	n, _ := h.number(bandsName)
	return n
}

// Words returns the number of words after the keys of a record, such as those of its signature.
func (h Header) Words() int {
	n, _ := h.number(wordsName)
	return n
}

// number returns the value of a parameter, if it is present; -1 if it is not a number.
func (h Header) number(name string) (n int, given bool) {
	value, given := parameter.Value(h.Parameters, name)
	if !given {
		return 0, false
	}
	n, err := strconv.Atoi(value)
	if err != nil {
		n = -1
	}
	return n, true
}

// version returns the version of a file with this header: the oldest that can express it.
func (h Header) version() string {
	if h.Words() > 0 {
		return extended
	}
	return plain
}

// bytesOfRecord returns the size of a record with keys.
func (h Header) bytesOfRecord() int { return h.Bands()*keySize + h.Words()*wordSize }

func (h Header) check() error {
	if err := parameter.CheckNames(h.Parameters); err != nil {
		return err
	}
	for _, p := range h.Parameters {
		if strings.ContainsAny(p.Name+p.Value, "\t\n\\") {
			return fmt.Errorf("parameter %q holds a tab, a line feed or a backslash", p.Name)
		}
	}
	problems := map[string]bool{}
	for _, name := range h.Problems {
		if name == "" || problems[name] || strings.ContainsAny(name, "\t\n") {
			return fmt.Errorf("problem %q is there twice, has no name, or holds a tab or a line feed", name)
		}
		problems[name] = true
	}
	switch bands := h.Bands(); {
	case bands < 1 || bands > maxBands:
		return fmt.Errorf("parameter %s is not a number from 1 to %d", bandsName, maxBands)
	case h.hasWrongWords():
		return fmt.Errorf("parameter %s is not a number from 1 to %d", wordsName, maxWords)
	case len(h.Problems) > maxProblems:
		return fmt.Errorf("there are %d problems, at most %d are possible", len(h.Problems), maxProblems)
	}
	return nil
}

func (h Header) hasWrongWords() bool {
	n, given := h.number(wordsName)
	return given && (n < 1 || n > maxWords)
}

// encode returns the header and its checksum.
func (h Header) encode() (text []byte, sum uint64) {
	var b strings.Builder
	b.WriteString(opening)
	b.WriteString("version\t" + h.version() + "\n")
	for _, p := range h.Parameters {
		b.Write(parameter.AppendLine(nil, p))
	}
	for _, name := range h.Problems {
		b.WriteString("problem\t" + name + "\n")
	}
	sum = xxh3.HashString(b.String())
	fmt.Fprintf(&b, "%s%016x\n", checksumLine, sum)
	return []byte(b.String()), sum
}

const checksumLine = "checksum\t"

// decodeHeader is the inverse of encode. It accepts only what encode writes.
func decodeHeader(text []byte) (h Header, sum uint64, err error) {
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for _, line := range lines[2 : len(lines)-1] {
		if p, ok, err := parameter.ParseLine(line); ok {
			if err != nil {
				return h, 0, fmt.Errorf("the line %.100q: %w", line, err)
			}
			h.Parameters = append(h.Parameters, p)
			continue
		}
		kind, rest, _ := strings.Cut(line, "\t")
		switch kind {
		case "problem":
			h.Problems = append(h.Problems, rest)
		default:
			return h, 0, fmt.Errorf("the line %.100q is of no known kind", line)
		}
	}
	if err := h.check(); err != nil {
		return h, 0, err
	}
	again, sum := h.encode()
	if string(again) != string(text) {
		return h, 0, errors.New("its lines or its checksum are wrong")
	}
	return h, sum, nil
}

// padded rounds n up to a multiple of 8.
func padded(n uint64) uint64 { return (n + 7) &^ 7 }
