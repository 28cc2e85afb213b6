package method

import (
	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/method/exact"
	"github.com/mithril-stream/mithril-stream/internal/method/filters"
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// OpenExactConsumer opens or creates the exact memory of a consumer.
func OpenExactConsumer(c spec.Method, keys identity.KeyKind, decide index.Decide) (exact.Consumer, error) {
	j, err := For(c).Open(Opening{Method: c, Keys: keys, Decide: decide, Records: filters.Endless})
	if err != nil {
		return exact.Consumer{}, err
	}
	return exact.Consumer{Memory: j.Exact}, nil
}
