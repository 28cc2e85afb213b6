package method

import (
	"errors"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/method/exact"
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/internal/usage"
)

// keysParameter distinguishes an index that maps keys to records from one that holds keys in Bloom
// filters.
var keysParameter = bloomlsh.Parameter{Name: identity.MemoryParameter, Value: identity.MemoryOfKeys}

// pageOfKeys says what a record is compared by.
func pageOfKeys(c spec.Method, _ identity.KeyKind) Page {
	return Page{Parameters: equalityParameters(c)}
}

// equalityParameters returns the parameters that say what is compared for equality.
func equalityParameters(c spec.Method) []bloomlsh.Parameter {
	return parameters("method", c.Rule.Parts.Method, "normalize", c.Rule.Text.Normalize)
}

// ofKeys completes the description of a memory of keys.
func (m *storedMemory) ofKeys(_ string, files *SketchFiles) error {
	m.Kind = exact.KindOfKeys(identity.ExactAge(m.All), false)
	if files == nil {
		return nil
	}
	return usage.Error(errors.New("it has keys of records, to which nothing is near: filter the records " +
		"by mithril-stream --read-only, and --originals names what they equal"))
}
