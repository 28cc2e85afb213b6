package main

import (
	"errors"
	"runtime"
	"slices"
	"sync"

	"github.com/mithril-stream/mithril-stream/bench/harness/recipe"
	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// A measurement is what a full index said.
type measurement struct {
	setting  setting
	recipe   *recipe.Recipe
	index    *bloomlsh.Index
	votes    [1]uint16 // of the record at hand
	found    int
	expected float64
	err      error
}

// groupByKeys puts settings together whose records have the same band keys: these are computed
// once.
func groupByKeys(all []setting) [][]setting {
	var groups [][]setting
	for _, s := range all {
		if n := len(groups); n > 0 && groups[n-1][0].name == s.name {
			groups[n-1] = append(groups[n-1], s)
			continue
		}
		groups = append(groups, []setting{s})
	}
	return groups
}

// blockRecords is how many records are sketched before the indexes see them.
const blockRecords = 1 << 14

// askFull fills an index for each setting of a group, then counts the queries that find what was
// never inserted.
func (c cli) askFull(group []setting) ([]*measurement, error) {
	var measured []*measurement
	defer func() {
		for _, m := range measured {
			m.index.Close()
		}
	}()
	for _, s := range group {
		r, err := c.recipe(s)
		if err != nil {
			return nil, err
		}
		index, err := bloomlsh.New(r.Index)
		if err != nil {
			return nil, err
		}
		measured = append(measured, &measurement{setting: s, recipe: r, index: index})
	}
	sketcher := measured[0].recipe.Sketcher
	bands := sketcher.Params().Bands

	for from := 0; from < c.Records+c.Queries; from += blockRecords {
		to := min(from+blockRecords, c.Records+c.Queries)
		keys := keysOf(sketcher, c.Seed, from, to)
		fill := max(0, min(c.Records-from, to-from)) // records of the block that are inserted
		each(measured, func(m *measurement) {
			m.fill(keys[:fill*bands])
			m.ask(keys[fill*bands:])
		})
	}
	var errs []error
	for _, m := range measured {
		m.expected = m.index.Stats().FPRate * float64(c.Queries)
		errs = append(errs, m.err)
	}
	return measured, errors.Join(errs...)
}

func (m *measurement) fill(keys []bloomlsh.Key) {
	for record := range slices.Chunk(keys, m.recipe.Index.Bands) {
		if _, err := m.index.Observe(record, m.votes[:]); err != nil {
			m.err = err
			return
		}
	}
}

func (m *measurement) ask(keys []bloomlsh.Key) {
	for record := range slices.Chunk(keys, m.recipe.Index.Bands) {
		if m.index.Query(record, m.votes[:]) == nil && int(m.votes[0]) >= m.recipe.Rule.Votes {
			m.found++
		}
	}
}

// keysOf sketches the records from … to-1, on all processors.
func keysOf(s *sketch.Sketcher, seed uint64, from, to int) []bloomlsh.Key {
	bands := s.Params().Bands
	keys := make([]bloomlsh.Key, (to-from)*bands)
	parts := runtime.GOMAXPROCS(0)
	var workers sync.WaitGroup
	for part := range parts {
		first, last := from+(to-from)*part/parts, from+(to-from)*(part+1)/parts
		own := s.Clone()
		workers.Go(func() {
			var text []byte
			dst := keys[(first-from)*bands : (first-from)*bands]
			for record := first; record < last; record++ {
				text = appendText(text[:0], seed, record)
				dst, _ = own.BandKeys(dst, text)
			}
		})
	}
	workers.Wait()
	return keys
}

// each calls do for all elements at once.
func each[T any](all []T, do func(T)) {
	var workers sync.WaitGroup
	for _, x := range all {
		workers.Go(func() { do(x) })
	}
	workers.Wait()
}
