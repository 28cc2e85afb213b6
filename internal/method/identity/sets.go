package identity

import (
	"strconv"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/memory/signatures"
	"github.com/mithril-stream/mithril-stream/internal/packedset"
	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// setFormParameter names the form of packed sets in the identity of an index.
const setFormParameter = "set-bits"

// SetShingleParameter says how many tokens the shingles of sets have, if not as many as those of
// signatures.
const SetShingleParameter = "verify-shingle"

// Sets returns how an index stores and compares sets; nil if it has none.
func Sets(v spec.Verification) []bloomlsh.Parameter {
	if !v.ComparesSets() {
		return nil
	}
	list := []bloomlsh.Parameter{{Name: setFormParameter, Value: strconv.Itoa(int(SetFormOf(v)))}}
	if v.Shingle > 0 {
		list = append(list, bloomlsh.Parameter{Name: SetShingleParameter, Value: strconv.Itoa(v.Shingle)})
	}
	return list
}

// SetFormOf returns the form of the sets that a verification compares.
func SetFormOf(v spec.Verification) packedset.Form {
	return signatures.Params{Containment: v.Containment}.SetForm()
}
