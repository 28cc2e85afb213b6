package index

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/internal/parameter"
)

// A Parameter is a name and a value on which verdicts depend. It is stored with an index and shown
// to the user.
type Parameter = parameter.Parameter

// ThresholdParameter is the name of a parameter on which no verdict depends: the similarity that
// the others were chosen for. Error messages name it along with others that differ, since it is
// what users specify. On its own it is not a difference, and an index may lack it.
const ThresholdParameter = "threshold"

// MadeByParameter is the name of another parameter on which no verdict depends: the flags that
// created the index. They are shown only when the index is inspected.
const MadeByParameter = "made-by"

// Without returns list without the named parameter.
func Without(list []Parameter, name string) []Parameter {
	return slices.DeleteFunc(slices.Clone(list), func(p Parameter) bool { return p.Name == name })
}

// Agreed returns list without those parameters that other lacks. CheckParameters must accept the
// two lists.
func Agreed(list, other []Parameter) []Parameter {
	return slices.DeleteFunc(slices.Clone(list), func(p Parameter) bool { return !slices.Contains(other, p) })
}

// hasThreshold reports whether the list contains ThresholdParameter.
func hasThreshold(list []Parameter) bool {
	return slices.ContainsFunc(list, func(p Parameter) bool { return p.Name == ThresholdParameter })
}

// CheckParameters returns an ErrParameters that names every parameter whose stored value, in the
// index in dir, differs from the wanted one.
func CheckParameters(dir string, stored, wanted []Parameter) error {
	stored, wanted = Without(stored, MadeByParameter), Without(wanted, MadeByParameter)
	differences := parameter.Differences(Without(stored, ThresholdParameter), Without(wanted, ThresholdParameter),
		"here")
	if differences != nil && hasThreshold(stored) && hasThreshold(wanted) {
		differences = parameter.Differences(stored, wanted, "here")
	}
	if differences == nil {
		return nil
	}
	return fmt.Errorf("%s: %w: %s: use the parameters of the index, or another directory", dir, ErrParameters,
		strings.Join(differences, ", "))
}

// encodeParameters returns the parameter lines of MANIFEST.
func encodeParameters(list []Parameter) []byte {
	var text []byte
	for _, p := range list {
		text = parameter.AppendLine(text, p)
	}
	return text
}

// fingerprint ties all files of an index together.
func fingerprint(list []Parameter) xxh3.Uint128 { return xxh3.Hash128(encodeParameters(list)) }
