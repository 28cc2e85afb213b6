package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/memory/counts"
)

// CountFlags ask for the sizes of groups whose duplicates were removed.
type CountFlags struct {
	Counts  string   `not:"parts,auto,bloom" writes:"records" placeholder:"FILE" help:"@counts/counts"`
	CountBy []string `needs:"--counts FILE: there the counts are written" placeholder:"FIELD" help:"@counts/count-by"`
}

// counting returns what to count, or nil for nothing.
func (f FilterFlags) counting() *counts.Selection {
	if f.Counts == "" {
		return nil
	}
	return &counts.Selection{By: f.CountBy, Time: f.Time.Field()}
}

// checkCounts rejects flags that conflict with --counts.
func (f FilterFlags) checkCounts() error {
	if f.Counts == "" {
		return nil
	}
	if err := withCounts.check(f.given, "--counts"); err != nil {
		return err
	}
	return checkFieldList("--count-by", f.CountBy)
}

// mostFields is the maximum number of fields whose values are counted.
const mostFields = 16

// checkFieldList rejects a field that is given twice, and more than mostFields fields.
func checkFieldList(flag string, fields []string) error {
	if len(fields) > mostFields {
		return fmt.Errorf("%s has %d fields: give %d at most", flag, len(fields), mostFields)
	}
	for i, field := range fields {
		if field == "" || strings.TrimSpace(field) != field {
			return fmt.Errorf("%s %q is not a field: separate names by commas alone", flag, field)
		}
		if slices.Contains(fields[:i], field) {
			return fmt.Errorf("%s has %s twice", flag, field)
		}
	}
	return nil
}
