// Package textfield finds the text fields of JSON records, for users who have not named them.
//
// All strings of a record are its text, but those of members that are declared to be something
// else: ids, times, scores, URLs and labels, by their names or by all of their values, and system
// prompts and descriptions of tools. So two records that differ in any other string have different
// texts. Where neither the name nor the values tell, the choice is unclear.
package textfield

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/jsontext"
)

// Limits on what is examined.
const (
	MaxRecords = 1000
	maxDepth   = 4
)

// A Sample is the records at the beginning of an input.
type Sample struct {
	Input   string // its name
	Records [][]byte
}

// A Field is a field that holds strings.
type Field struct {
	Path    string // in the syntax of stream.ParseField
	Records int    // records that have it
	Bytes   int    // total length of the strings
}

// A Choice is the set of fields that make up the text of records.
type Choice struct {
	Paths     []string // in the syntax of stream.ParseField; none if there is no text
	LeavesOut string   // the system prompt, if there is one that is not part of the text
	Tools     string   // descriptions of tools, if there are any that are not part of the text
	Unclear   []string // fields that may be text or not, and are not part of Paths
	// Shared says what many records share that differ elsewhere; nil if there is no such thing. It
	// is not part of Paths, which are empty if the rest has no path of its own.
	Shared *Shared

	bases []string        // what is at or below these paths is compared; none if the whole record is
	known map[string]bool // the paths of all strings in the samples
}

// Find returns the fields with the text of the records of some inputs. It examines MaxRecords
// records, the same number of each sample. cells says that all values are strings, as in CSV, so
// that numbers are no text. all lists the fields that hold strings, the longest first.
func Find(samples []Sample, cells bool) (chosen Choice, all []Field) {
	s := newSurvey(cells)
	most := max(1, MaxRecords/max(1, len(samples)))
	s.samples = len(samples)
	for i, sample := range samples {
		for _, record := range sample.Records[:min(len(sample.Records), most)] {
			if value := objectIn(record); value != nil {
				s.add(value, i)
			}
		}
	}
	hasText := len(s.chats) > 0
	for _, l := range s.leaves {
		all = append(all, Field{l.path, l.records, l.bytes})
		hasText = hasText || l.verdict() == isText && l.hasWords(s.records)
	}
	slices.SortFunc(all, byBytes)
	if !hasText {
		return Choice{}, all
	}
	chosen = s.choose()
	chosen.known = make(map[string]bool, len(s.leaves))
	for path := range s.leaves {
		chosen.known[path] = true
	}
	if chosen.Shared != nil {
		chosen.Shared.Input = samples[chosen.Shared.sample].Input
	}
	return chosen, all
}

// objectIn returns the members of a JSON object, or nil if record is none.
func objectIn(record []byte) (value map[string]any) {
	if json.Unmarshal(jsontext.WithoutNonFinite(record), &value) != nil {
		return nil
	}
	return value
}

func byBytes(a, b Field) int {
	return cmp.Or(b.Bytes-a.Bytes, strings.Compare(a.Path, b.Path))
}
