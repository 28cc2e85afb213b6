package command

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/lsh"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/sketch/markup"
	"github.com/mithril-stream/mithril-stream/stream"
)

// near answers each text with the records of an index that are the most similar to it.
func near(ctx context.Context, c *config.Near, std Streams) (err error) {
	s, err := openSearch(c.Index, c.MaxMemory)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	out := bufio.NewWriter(std.Out)
	defer func() { err = errors.Join(err, out.Flush()) }()
	for _, text := range c.Texts {
		if err := s.answer(out, []byte(text), c.Count); err != nil {
			return err
		}
	}
	if len(c.Texts) > 0 {
		return nil
	}
	announceTerminal([]string{"-"}, std, false)
	if c.Format == "jsonl" {
		return nearRecords(ctx, c, std, s)
	}
	lines := bufio.NewScanner(stopWith(ctx, std.In))
	lines.Buffer(nil, stream.DefaultMaxRecord)
	line := 1
	for ; lines.Scan(); line++ {
		if err := s.answer(out, lines.Bytes(), c.Count); err != nil {
			return err
		}
		if err := out.Flush(); err != nil { // who asks by a pipe waits for it
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("stdin:%d: a text that cannot be read: %w", line, err)
	}
	return nil
}

// A search looks for texts in an exact memory that is kept in a directory.
type search struct {
	sketcher    stream.Sketcher
	newSketcher func() stream.Sketcher // for other goroutines
	*askedMemory
	words []uint64
	found []lsh.Match
}

// openSearch reads the index as of its last commit. A writer may go on.
func openSearch(dir string, maxMemory config.Size) (*search, error) {
	m, err := readStored(dir)
	if err != nil {
		return nil, err
	}
	made, err := sketcherWith(m.sketch)
	if err != nil {
		return nil, err
	}
	s := &search{newSketcher: func() stream.Sketcher {
		var signed stream.Sketcher = sketch.Signed{Sketcher: made.Clone()}
		if m.lsh.Sets {
			signed = sketch.SignedSet{Sketcher: made.Clone()}
		}
		extracted, _ := extractedFrom(m.markup, signed) // the name was checked
		return extracted
	}}
	if _, err := markup.New(m.markup); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	s.sketcher = s.newSketcher()
	m.lsh.MaxMemory = uint64(maxMemory)
	s.askedMemory, err = openAsked(dir, m.params.Bands, m.identity, signatureLog(m.lsh))
	return s, err
}

// A storedMemory is what the directory of an exact memory says about it.
type storedMemory struct {
	params   bloomlsh.Params // of the filters, which are empty
	identity []bloomlsh.Parameter
	markup   string
	sketch   sketch.Params
	lsh      lsh.Params // any shared band makes a candidate, any candidate counts
}

func readStored(dir string) (*storedMemory, error) {
	m := &storedMemory{}
	var err error
	if m.params, m.identity, err = bloomlsh.ReadParameters(dir); err != nil {
		return nil, err
	}
	kind, err := memoryOf(dir)
	if err == nil && kind == memoryOfFingerprints {
		return nil, fmt.Errorf("%s is of fingerprints, which only the filter takes", dir)
	}
	if err == nil && kind == memoryOfVectors {
		return nil, fmt.Errorf("%s has vectors, and only signatures are asked", dir)
	}
	if err != nil || kind != config.MemoryExact {
		return nil, errors.Join(err,
			fmt.Errorf("%s does not know which records it has seen: make it with --memory exact", dir))
	}
	if m.markup, m.sketch, err = paramsOf(m.identity, m.params.Bands); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	m.lsh = lsh.Params{
		NumPerm: m.sketch.NumPerm, Bands: m.sketch.Bands, Rows: m.sketch.Rows, Votes: 1,
		Sets: slices.Contains(m.identity, setsParameter),
	}
	return m, nil
}

// paramsOf takes back what identity has made of the parameters of a sketch.
func paramsOf(list []bloomlsh.Parameter, bands int) (markupName string, p sketch.Params, err error) {
	number := func(text string) int {
		n, wrong := strconv.Atoi(text)
		err = errors.Join(err, wrong)
		return n
	}
	p.Bands = bands
	for _, parameter := range list {
		switch value := parameter.Value; parameter.Name {
		case "markup":
			markupName = value
		case "normalize":
			p.Normalize = value
		case "tokenize":
			p.Tokenize = value
		case "shingle-size":
			p.ShingleSize = number(value)
		case "sketch":
			p.Sketch = value
		case "num-perm":
			p.NumPerm = number(value)
		case seedParameter:
			var wrong error
			p.Seed, p.Secret, wrong = parseSeed(value)
			err = errors.Join(err, wrong)
		case "rows":
			p.Rows = number(value)
		case "band-key":
			p.BandKey = value
		}
	}
	return markupName, p, errors.Join(err, p.Validate())
}

// An answer is what is written for a text.
type answer struct {
	Query   any          `json:"query"` // the text, or the name of a record
	Near    []nearRecord `json:"near"`
	Problem string       `json:"problem,omitempty"` // why a record could not be read
}

type nearRecord struct {
	Record     json.RawMessage `json:"record"`
	Similarity json.RawMessage `json:"similarity"`
}

func (s *search) answer(out *bufio.Writer, text []byte, count int) error {
	var ok bool
	s.found = s.found[:0]
	if s.words, ok = s.sketcher.Append(s.words[:0], text); ok {
		var err error
		if s.found, err = signaturesIn(s.index).Near(s.found, s.words, count); err != nil {
			return err
		}
	}
	return writeAnswer(out, answer{Query: string(text), Near: s.named(s.found)})
}

// named are records of the index with their names.
func (s *search) named(found []lsh.Match) []nearRecord {
	named := make([]nearRecord, len(found))
	for i, m := range found {
		named[i] = nearRecord{s.names.append(nil, m.Record), stream.AppendSimilarity(nil, m.Similarity)}
	}
	return named
}

func writeAnswer(out *bufio.Writer, a answer) error {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(a)
}
