package exact

import (
	"slices"
	"strconv"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// OpenGroups opens or creates the index of groups in a directory. Its days are a section
// (internal/memory/days).
func OpenGroups(dir string, c spec.Method, keys identity.KeyKind) (*index.Writer, error) {
	own := identity.Own(keys.Bands, keys.Votes, "", spec.Forget{})
	return openPlain(dir, append(groupsIdentity(c, keys), own...), nil)
}

// groupsIdentity has all parameters that determine which records are joined (I5).
func groupsIdentity(c spec.Method, keys identity.KeyKind) []bloomlsh.Parameter {
	own := func(p bloomlsh.Parameter) bool {
		return p.Name == identity.MemoryParameter || p.Name == identity.VerifyParameter
	}
	parameters := append(slices.DeleteFunc(slices.Clone(keys.Identity), own),
		bloomlsh.Parameter{Name: identity.MemoryParameter, Value: identity.MemoryOfGroups})
	if c.Rule.Parts.ByEquality() {
		return parameters
	}
	parameters = append(parameters,
		bloomlsh.Parameter{Name: identity.VerifyParameter, Value: c.Rule.Verify},
		bloomlsh.Parameter{Name: "join-threshold", Value: formatted(c.Rule.Threshold)})
	if keys.Params.NumPerm > 0 {
		parameters = append(parameters, identity.SlotBits(keys.Params))
		parameters = append(parameters, identity.Sets(c.Rule.Verification)...)
	}
	if c.Rule.Containment > 0 {
		parameters = append(parameters, bloomlsh.Parameter{Name: "containment", Value: formatted(c.Rule.Containment)})
	}
	if c.Rule.Samples != nil {
		either := strconv.FormatBool(c.Rule.Samples.Either)
		parameters = append(parameters, bloomlsh.Parameter{Name: "contained-either", Value: either})
	}
	return parameters
}

// CompactGroups removes what the index of groups in dir does not need from the log of its commits.
func CompactGroups(dir string, kept index.Undo) error {
	return index.Compact(index.System, dir, kept, loadPlain)
}

func formatted(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
