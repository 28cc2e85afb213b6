package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
)

// A swap puts one record, the better one, in place of another one, which is kept.
type swap struct {
	kept, better string // their names as JSON, as the file has them
	start, end   int64  // range of the better one in the file of better ones
	isFound      bool   // the better one was read
	isThere      bool   // the kept one was read
	isDone       bool   // it was replaced
}

// A swapList is the swaps of a file. It takes the memory of their names: some 300 bytes a swap.
type swapList struct {
	file     string
	byKept   map[string]*swap
	byBetter map[string][]*swap // several, if two indexes know the better one
}

// readSwaps reads what --counts has written with --prefer. The last line about a record counts, so
// the files of several days may stand one behind the other.
func readSwaps(ctx context.Context, c *config.Apply, std files.Streams) (*swapList, error) {
	l := &swapList{file: c.Swaps, byKept: map[string]*swap{}, byBetter: map[string][]*swap{}}
	if err := eachCountLine(ctx, c.Swaps, c.Filter.Input.MaxWindow, std, l.add); err != nil {
		return nil, err
	}
	for _, s := range l.byKept {
		key := nameKey([]byte(s.better))
		l.byBetter[key] = append(l.byBetter[key], s)
	}
	return l, nil
}

// add takes a line in. One that names no better record says that the kept one is the best.
func (l *swapList) add(line []byte) error {
	var said struct {
		ID   json.RawMessage `json:"id"`
		Best json.RawMessage `json:"best"`
	}
	if len(line) == 0 {
		return nil
	}
	if json.Unmarshal(line, &said) != nil || !isName(said.ID) || len(said.Best) > 0 && !isName(said.Best) {
		return errors.New("it is no line of a group: give the file that mithril-stream --counts FILE.jsonl " +
			"--prefer WHICH has written")
	}
	key := nameKey(said.ID)
	if len(said.Best) == 0 {
		delete(l.byKept, key)
	} else {
		l.byKept[key] = &swap{kept: string(said.ID), better: string(said.Best)}
	}
	return nil
}

// isName reports whether a JSON value can name a record: it is a string or a number.
func isName(value []byte) bool {
	return len(value) > 0 && (value[0] == '"' || value[0] == '-' || value[0] >= '0' && value[0] <= '9')
}

// nameKey is equal for names that are equal, however their strings are written.
func nameKey(name []byte) string {
	var text string
	if name[0] == '"' && json.Unmarshal(name, &text) == nil {
		return `"` + text
	}
	return string(name)
}

// missing names the first record that the file names and the inputs do not have.
func (l *swapList) missing() error {
	first, count := "", 0
	note := func(name string) {
		if count++; first == "" || name < first {
			first = name
		}
	}
	for _, s := range l.byKept {
		if !s.isThere {
			note(s.kept)
		}
		if !s.isFound {
			note(s.better)
		}
	}
	if count == 0 {
		return nil
	}
	return fmt.Errorf("%s names %s, which no input has (%d such names): give all inputs of the runs that it is of, by "+
		"the same names, and the same --id", l.file, first, count)
}

// undone names the first record whose place nothing was put in.
func (l *swapList) undone() error {
	first := ""
	for _, s := range l.byKept {
		if !s.isDone && (first == "" || s.kept < first) {
			first = s.kept
		}
	}
	if first == "" {
		return nil
	}
	return fmt.Errorf("%s has a better record than %s, which --flags leaves out: give the flags of the same runs",
		l.file, first)
}
