package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/bench/harness/sets"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// A corpus is a set of records in the order of the stream, as the program sees them.
type corpus struct {
	ids      []string
	texts    [][]byte
	shingles [][]uint64       // sorted, no repeats; nil for a record without text
	keys     [][]xxh3.Uint128 // band keys; nil for a record without text
	place    map[string]int   // of an id
}

// readCorpus sketches the records of a JSON Lines stream. Errors begin with the number of the line.
func readCorpus(in io.Reader, s *sketch.Sketcher) (*corpus, error) {
	c := &corpus{place: map[string]int{}}
	lines := bufio.NewReaderSize(in, 1<<20)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF && len(line) == 0 {
			c.keys = c.bandKeys(s)
			return c, nil
		}
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("%d: %w", n, err)
		}
		var record struct {
			ID   string `json:"id"`
			Text string `json:"text"`
		}
		if err := json.Unmarshal(line, &record); err != nil {
			return nil, fmt.Errorf("%d: %w", n, err)
		}
		if _, taken := c.place[record.ID]; taken {
			return nil, fmt.Errorf("%d: id %q for the second time", n, record.ID)
		}
		c.add(record.ID, []byte(record.Text), s)
	}
}

func (c *corpus) add(id string, text []byte, s *sketch.Sketcher) {
	c.place[id] = len(c.ids)
	c.ids = append(c.ids, id)
	c.texts = append(c.texts, text)
	set := sets.Of(s.Shingles(nil, text))
	if len(set) == 0 && len(bytes.TrimSpace(text)) > 0 {
		set = []uint64{xxh3.Hash(text)} // a text without words resembles its copies alone
	}
	c.shingles = append(c.shingles, set)
}

// bandKeys returns the keys of every record, nil for one without text.
func (c *corpus) bandKeys(s *sketch.Sketcher) [][]xxh3.Uint128 {
	keys := make([][]xxh3.Uint128, len(c.texts))
	for i, text := range c.texts {
		keys[i], _ = s.BandKeys(nil, text)
	}
	return keys
}

// votes returns in how many bands two records have the same key.
func votes(a, b []xxh3.Uint128) (n int) {
	if len(a) != len(b) {
		return 0
	}
	for band, key := range a {
		if b[band] == key {
			n++
		}
	}
	return n
}

// eachOverlap calls visit for each record in the order of the stream, with its similarity to every
// earlier one that it shares a shingle with. The slice is valid until visit returns. Records for
// which visit returns false are not remembered.
func (c *corpus) eachOverlap(visit func(record int, overlaps []sets.Overlap) bool) {
	var earlier sets.Earlier
	for record, set := range c.shingles {
		if !visit(record, earlier.Overlaps(set)) {
			set = nil
		}
		earlier.Add(set)
	}
}
