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
	params, identity, err := bloomlsh.ReadParameters(dir)
	if err != nil {
		return nil, err
	}
	if kind, err := memoryOf(dir); err != nil || kind != config.MemoryExact {
		return nil, errors.Join(err,
			fmt.Errorf("%s does not know which records it has seen: make it with --memory exact", dir))
	}
	markupName, sketchParams, err := paramsOf(identity, params.Bands)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	made, err := sketcherWith(sketchParams)
	if err != nil {
		return nil, err
	}
	sets := slices.Contains(identity, setsParameter)
	s := &search{newSketcher: func() stream.Sketcher {
		var signed stream.Sketcher = sketch.Signed{Sketcher: made.Clone()}
		if sets {
			signed = sketch.SignedSet{Sketcher: made.Clone()}
		}
		extracted, _ := extractedFrom(markupName, signed) // the name was checked
		return extracted
	}}
	if _, err := markup.New(markupName); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	s.sketcher = s.newSketcher()
	s.askedMemory, err = openAsked(dir, params.Bands, identity, lsh.Params{
		NumPerm: sketchParams.NumPerm, Bands: sketchParams.Bands, Rows: sketchParams.Rows, Votes: 1,
		MaxMemory: uint64(maxMemory), Sets: sets,
	})
	return s, err
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
		if s.found, err = s.index.Near(s.found, s.words, count); err != nil {
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
