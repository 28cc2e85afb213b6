package identity

import (
	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/parameter"
	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// AsStored returns m with the settings of the first existing index. An index without sets of
// shingles continues to compare signatures, unless the user has said how candidates are verified.
func AsStored(m spec.Method, indexes ...string) spec.Method {
	for _, dir := range indexes {
		identity, err := index.ReadParameters(dir)
		if err != nil {
			continue // opening it says what is wrong
		}
		kind, _ := parameter.Value(identity, MemoryParameter)
		if kind == spec.MemoryExact {
			m.Rule.IsOpen = false // it has signatures
		}
		if m.Rule.Estimated == nil {
			continue
		}
		verify, isSaid := parameter.Value(identity, VerifyParameter)
		if (kind == spec.MemoryExact || kind == MemoryOfGroups) && (!isSaid || verify == spec.VerifySignature) {
			m.Rule.Tuning, m.Rule.Verification = *m.Rule.Estimated, spec.Verification{Verify: spec.VerifySignature}
		}
		return m
	}
	return m
}
