package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A row is what one run has come to.
type row struct {
	records float64
	way     string
	cpu     float64 // seconds
	peak    float64 // MB
}

// The columns of scale's tables.
const (
	columnWay  = 0
	columnCPU  = 5
	columnPeak = 9
	columns    = 11
)

// parse reads the tables that scale prints, each after a line that says how many records there are.
func parse(text string) (rows []row, err error) {
	records := 0.0
	for i, line := range strings.Split(text, "\n") {
		if before, _, found := strings.Cut(line, " records of "); found {
			if records, err = strconv.ParseFloat(before, 64); err != nil {
				return nil, fmt.Errorf("line %d: how many records: %w", i+1, err)
			}
			continue
		}
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if len(cells) != columns || cells[columnWay] == "way" {
			continue
		}
		r := row{records: records, way: cells[columnWay]}
		if r.cpu, err = strconv.ParseFloat(cells[columnCPU], 64); err != nil {
			return nil, fmt.Errorf("line %d: CPU time: %w", i+1, err)
		}
		if r.peak, err = strconv.ParseFloat(cells[columnPeak], 64); err != nil {
			return nil, fmt.Errorf("line %d: peak of memory: %w", i+1, err)
		}
		rows = append(rows, r)
	}
	if len(rows) == 0 {
		return nil, errors.New("there is no row of a table of scale")
	}
	return rows, nil
}

// waysOf are the names in the order in which they come.
func waysOf(rows []row) (ways []string) {
	for _, r := range rows {
		if !slices.Contains(ways, r.way) {
			ways = append(ways, r.way)
		}
	}
	return ways
}
