// Package parameter holds the names and values that verdicts depend on, as stored in indexes and
// sketch files and shown to users.
package parameter

import (
	"fmt"
	"strconv"
	"strings"
)

// A Parameter is a name and a value that verdicts depend on.
type Parameter struct{ Name, Value string }

// Value returns the value of a name in a list, and whether it is present.
func Value(list []Parameter, name string) (value string, given bool) {
	for _, p := range list {
		if p.Name == name {
			return p.Value, true
		}
	}
	return "", false
}

// CheckNames returns an error if a name is empty or occurs twice.
func CheckNames(list []Parameter) error {
	seen := map[string]bool{}
	for _, p := range list {
		if p.Name == "" || seen[p.Name] {
			return fmt.Errorf("parameter %q is given twice or has no name", p.Name)
		}
		seen[p.Name] = true
	}
	return nil
}

// Differences describes how the stored list differs from the wanted one, which belongs to where. It
// does not reveal secrets.
func Differences(stored, wanted []Parameter, where string) []string {
	values := map[string]string{}
	for _, p := range stored {
		values[p.Name] = p.Value
	}
	var differences []string
	for _, want := range wanted {
		switch value, ok := values[want.Name]; {
		case !ok:
			differences = append(differences,
				fmt.Sprintf("%s is not known to it and %s %s", want.Name, shown(want), where))
		case value != want.Value:
			differences = append(differences, fmt.Sprintf("%s is %s in it and %s %s", want.Name,
				shown(Parameter{want.Name, value}), other(want, value), where))
		}
		delete(values, want.Name)
	}
	for _, p := range stored {
		if _, left := values[p.Name]; left {
			differences = append(differences,
				fmt.Sprintf("%s is %s in it and not known %s", p.Name, shown(p), where))
		}
	}
	return differences
}

// A secret seed is written as random: and digits, and the seed of pages is derived from it: whoever
// knows it can predict which texts collide. A message may end up in somebody else's log.
const (
	secretForm = "random:"
	pageSeed   = "page-seed"
	aSecret    = "a secret"
)

// shown returns a value for a message: quoted if it could be misread, and hidden if it is a secret.
func shown(p Parameter) string {
	switch {
	case strings.HasPrefix(p.Value, secretForm) || p.Name == pageSeed:
		return aSecret
	case p.Value == "" || strings.ContainsAny(p.Value, " ,:\"\t\n\\"):
		return strconv.Quote(p.Value)
	}
	return p.Value
}

// other returns a value for a message that must differ from before.
func other(p Parameter, before string) string {
	if text := shown(p); text != aSecret || shown(Parameter{p.Name, before}) != aSecret {
		return text
	}
	return "another one"
}

// A line of a list is the word parameter, a name and a value, separated by tabs. In name and value
// a backslash, a tab and a line feed are written as \\, \t and \n.

var (
	escaper = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`)
	escapes = map[byte]byte{'\\': '\\', 't': '\t', 'n': '\n'}
)

const opening = "parameter\t"

// AppendLine appends the line of a parameter, including the line feed.
func AppendLine(dst []byte, p Parameter) []byte {
	dst = append(dst, opening...)
	dst = append(dst, escaper.Replace(p.Name)...)
	dst = append(dst, '\t')
	dst = append(dst, escaper.Replace(p.Value)...)
	return append(dst, '\n')
}

// ParseLine parses a line without its line feed; ok is false if it is not the line of a parameter.
// It rejects what AppendLine would not have written, so that equal lists have equal bytes.
func ParseLine(line string) (p Parameter, ok bool, err error) {
	rest, ok := strings.CutPrefix(line, opening)
	if !ok {
		return p, false, nil
	}
	name, value, ok := strings.Cut(rest, "\t")
	if !ok {
		return p, true, fmt.Errorf("%q has no value", line)
	}
	if p.Name, err = unescape(name); err == nil {
		p.Value, err = unescape(value)
	}
	return p, true, err
}

func unescape(text string) (string, error) {
	var plain strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			if text[i] == '\t' {
				return "", fmt.Errorf("%q has a tab too many", text)
			}
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
