package method

import (
	"slices"
	"strconv"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// MemoryOfGroups names the memory of an index of groups over days, which has the sketches of all
// records and groups them again each day.
const MemoryOfGroups = "groups"

// OpenGroups opens or creates the index of groups in a directory. Its days are a section
// (internal/memory/days).
func OpenGroups(dir string, c spec.Method, keys KeyKind) (*index.Writer, error) {
	own := exactOwn(keys.Bands, keys.Votes, "", spec.Forget{})
	return openPlain(dir, append(groupsIdentity(c, keys), own...), nil)
}

// groupsIdentity has all parameters that determine which records are joined (I5).
func groupsIdentity(c spec.Method, keys KeyKind) []bloomlsh.Parameter {
	own := func(p bloomlsh.Parameter) bool { return p.Name == MemoryParameter || p.Name == verifyParameter }
	identity := append(slices.DeleteFunc(slices.Clone(keys.Identity), own),
		bloomlsh.Parameter{Name: MemoryParameter, Value: MemoryOfGroups})
	if c.Rule.Parts.ByEquality() {
		return identity
	}
	identity = append(identity,
		bloomlsh.Parameter{Name: verifyParameter, Value: c.Rule.Verify},
		bloomlsh.Parameter{Name: "join-threshold", Value: number(c.Rule.Threshold)})
	if keys.Params.NumPerm > 0 {
		identity = append(identity, slotBitsOf(keys.Params))
		identity = append(identity, setIdentity(c.Rule.Verification)...)
	}
	if c.Rule.Containment > 0 {
		identity = append(identity, bloomlsh.Parameter{Name: "containment", Value: number(c.Rule.Containment)})
	}
	if c.Rule.Samples != nil {
		either := strconv.FormatBool(c.Rule.Samples.Either)
		identity = append(identity, bloomlsh.Parameter{Name: "contained-either", Value: either})
	}
	return identity
}
