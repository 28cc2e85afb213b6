package method

import (
	"github.com/mithril-stream/mithril-stream/internal/memory/overlap"
	"github.com/mithril-stream/mithril-stream/internal/method/filters"
)

// beginFilters opens Bloom filters that judge records by their band keys, or by their parts.
func beginFilters(o *Opening) (*Detector, error) {
	m, err := filters.Open(o.forFilters())
	if err != nil {
		return nil, err
	}
	j := &Detector{Judge: m.Judge(), Filters: m, Ahead: filters.Ahead(o.Method.Memory)}
	switch {
	case o.Method.Rule.Parts.IsEnabled():
		err = j.byParts(o.Method, overlap.Memory{Observe: m.Observe, Query: m.Query})
	case o.Method.Rule.Parts.Method == "":
		j.Similarity = o.Keys.Rule.Similarity
	}
	return j, err
}
