package command

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/command/formats"
	"github.com/mithril-stream/mithril-stream/internal/command/run"
	"github.com/mithril-stream/mithril-stream/internal/units"
)

// A recordCheck checks the records of inputs in the first reading. An input without a record, or
// records without a text, are most likely not what the user meant: everything would be passed on.
type recordCheck struct {
	input   string // the current one
	lines   int    // of it that cannot be read, without blank ones; -1 after the first that can
	err     error  // why the first of these cannot be read
	begins  []byte // the beginning of that line
	records uint64 // of all inputs
	first   []byte // the first record
}

// check takes note of a line that should be a record. It is one if err is nil.
func (c *recordCheck) check(input string, line []byte, err error) error {
	if input != c.input {
		if err := c.end(); err != nil {
			return err
		}
		c.input, c.lines, c.err = input, 0, nil
	}
	switch {
	case err == nil:
		c.lines = -1
		if c.records++; c.records == 1 {
			c.first = bytes.Clone(line)
		}
	case c.lines >= 0 && len(bytes.TrimSpace(line)) > 0:
		if c.lines++; c.lines == 1 {
			c.err, c.begins = err, append(bytes.Clone(line[:min(len(line), 64)]), '\n')
		}
		if c.lines == run.UnreadableRecords {
			return c.end()
		}
	}
	return nil
}

// end is called after an input. It returns an error if none of its records can be read.
func (c *recordCheck) end() error {
	if c.lines <= 0 {
		return nil
	}
	which := "its only record cannot"
	if c.lines > 1 {
		which = fmt.Sprintf("none of its first %d records can", c.lines)
	}
	return fmt.Errorf("%s: %s be read, the first: %w: %s. Nothing was written", c.input, which, c.err,
		cmp.Or(formats.Beginning(c.begins), "give --format or --field"))
}

// noText returns the error for records without any of the fields.
func (c *recordCheck) noText(fields []string) error {
	members := ""
	if names := formats.MemberNames(c.first); len(names) > 0 {
		members = "; the first has the members " + strings.Join(names, ", ")
	}
	which := fmt.Sprintf("none of the %s has", units.Of(c.records, "record"))
	if c.records == 1 {
		which = "the only record does not have"
	}
	return fmt.Errorf("%s a text in %s%s: give --field. Nothing was written", which,
		strings.Join(formats.Quoted(fields), " or "), members)
}
