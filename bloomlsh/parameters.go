package bloomlsh

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/zeebo/xxh3"
)

// Parameter is a name and a value of which verdicts depend, as it is kept with an index and shown
// to the user.
type Parameter struct {
	Name, Value string
}

// parameters are the index's own ones, in the order of the file format.
func (p Params) parameters() []Parameter {
	list := []Parameter{
		{"bands", strconv.Itoa(p.Bands)},
		{"capacity", strconv.FormatUint(p.Capacity, 10)},
		{"fp-rate", strconv.FormatFloat(p.FPRate, 'g', -1, 64)},
		{"filter", p.Filter},
		{"remember", p.Remember},
		{"on-full", p.OnFull},
	}
	if p.Votes > 1 { // one vote was the rule before there were others
		list = append(list, Parameter{votesName, strconv.Itoa(p.Votes)})
	}
	return list
}

const votesName = "votes"

// splitParameters takes the list of an index apart into its own parameters, which are the last
// ones, and the identity before.
func splitParameters(list []Parameter) (p Params, identity []Parameter, err error) {
	if n := len(list); n > 0 && list[n-1].Name == votesName {
		p.Votes = 2 // or more: there is such a parameter
	}
	own := p.parameters()
	first := len(list) - len(own)
	if first < 0 {
		return p, nil, fmt.Errorf("there are only %d parameters", len(list))
	}
	values := list[first:]
	for i := range own {
		if values[i].Name != own[i].Name {
			return p, nil, fmt.Errorf("parameter %s stands where %s must stand", values[i].Name, own[i].Name)
		}
	}
	var errs [4]error
	p.Bands, errs[0] = strconv.Atoi(values[0].Value)
	p.Capacity, errs[1] = strconv.ParseUint(values[1].Value, 10, 64)
	p.FPRate, errs[2] = strconv.ParseFloat(values[2].Value, 64)
	p.Filter, p.Remember, p.OnFull = values[3].Value, values[4].Value, values[5].Value
	p.Votes = 1
	if len(values) > 6 {
		if p.Votes, errs[3] = strconv.Atoi(values[6].Value); p.Votes == 1 {
			return p, nil, fmt.Errorf("parameter %s is 1, which goes without saying", votesName)
		}
	}
	if err := errors.Join(errs[:]...); err != nil {
		return p, nil, err
	}
	return p, list[:first], p.Validate()
}

// allParameters is the list that an index is built with: the identity that the caller gives, and
// the index's own parameters.
func allParameters(identity []Parameter, p Params) ([]Parameter, error) {
	list := append(append([]Parameter{}, identity...), p.parameters()...)
	return list, checkNames(list)
}

func checkNames(list []Parameter) error {
	seen := map[string]bool{}
	for _, parameter := range list {
		if parameter.Name == "" || seen[parameter.Name] {
			return fmt.Errorf("parameter %q is given twice or has no name", parameter.Name)
		}
		seen[parameter.Name] = true
	}
	return nil
}

// compareParameters returns an error that names each parameter in which the stored list differs
// from the wanted one.
func compareParameters(dir string, stored, wanted []Parameter) error {
	differences := Differences(stored, wanted, "here")
	if differences == nil {
		return nil
	}
	return fmt.Errorf("%s: %w: %s: use the parameters of the index, or another directory", dir, ErrParameters, strings.Join(differences, ", "))
}

// Differences puts into words in which parameters the stored list differs from the wanted one,
// which is where the last argument says.
func Differences(stored, wanted []Parameter, where string) []string {
	stored, wanted = withVotes(stored), withVotes(wanted)
	values := map[string]string{}
	for _, parameter := range stored {
		values[parameter.Name] = parameter.Value
	}
	var differences []string
	for _, want := range wanted {
		switch value, ok := values[want.Name]; {
		case !ok:
			differences = append(differences, fmt.Sprintf("%s is not known to it and %s %s", want.Name, shown(want.Value), where))
		case value != want.Value:
			differences = append(differences, fmt.Sprintf("%s is %s in it and %s %s", want.Name, shown(value), shown(want.Value), where))
		}
		delete(values, want.Name)
	}
	for _, parameter := range stored {
		if value, left := values[parameter.Name]; left {
			differences = append(differences, fmt.Sprintf("%s is %s in it and not known %s", parameter.Name, shown(value), where))
		}
	}
	return differences
}

// withVotes adds the votes that go without saying to the parameters of an index, if none are given.
func withVotes(list []Parameter) []Parameter {
	isIndex := false
	for _, parameter := range list {
		isIndex = isIndex || parameter.Name == "on-full"
		if parameter.Name == votesName {
			return list
		}
	}
	if !isIndex {
		return list
	}
	return append(list[:len(list):len(list)], Parameter{votesName, "1"})
}

// shown quotes a value that could be misread.
func shown(value string) string {
	if value == "" || strings.ContainsAny(value, " ,:\"\t\n\\") {
		return strconv.Quote(value)
	}
	return value
}

// The parameter lines of the manifest; their hash is the fingerprint that ties all files of an
// index together.

var (
	escaper  = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`)
	escapes  = map[byte]byte{'\\': '\\', 't': '\t', 'n': '\n'}
	lineOpen = "parameter\t"
)

func encodeParameters(list []Parameter) []byte {
	var text []byte
	for _, parameter := range list {
		text = append(text, lineOpen...)
		text = append(text, escaper.Replace(parameter.Name)...)
		text = append(text, '\t')
		text = append(text, escaper.Replace(parameter.Value)...)
		text = append(text, '\n')
	}
	return text
}

// unescape refuses what the escaper would not have written, so that equal lists have equal bytes.
func unescape(text string) (string, error) {
	var plain strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			plain.WriteByte(text[i])
			continue
		}
		i++
		if i == len(text) || escapes[text[i]] == 0 {
			return "", fmt.Errorf("%q has a backslash that escapes nothing", text)
		}
		plain.WriteByte(escapes[text[i]])
	}
	return plain.String(), nil
}

func fingerprint(list []Parameter) xxh3.Uint128 {
	return xxh3.Hash128(encodeParameters(list))
}
