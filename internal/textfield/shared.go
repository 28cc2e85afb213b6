package textfield

import (
	"encoding/json"
	"slices"
	"strings"
)

// What many records may share: a passage that several questions are about, or a prompt with several
// answers.
var (
	sharedNames = strings.Fields(`context passage paragraph document article story background evidence premise
		prompt instruction question query problem input code schema transcript dialogue`)
	ownNames = strings.Fields(`question query prompt instruction hypothesis claim answer answers response completion
		output solution chosen rejected summary sql`)
)

// sharesMost is the share of the text from which on two records that have the rest of their own may
// be taken for near-duplicates.
const sharesMost = .8

// shared returns the member that makes up most of the text of records that differ elsewhere, or "".
func (s *survey) shared() string {
	for _, key := range sharedNames {
		if s.filled[key] && s.isShared(key) {
			return key
		}
	}
	return ""
}

func (s *survey) isShared(key string) bool {
	seen := map[string]map[string]bool{} // what else there is of records with that value
	again, inAll, inKey := 0, 0, 0
	for _, record := range s.all {
		value, isString := record[key].(string)
		if !isString {
			return false
		}
		rest := restOf(record, key)
		if seen[value] == nil {
			seen[value] = map[string]bool{}
		} else if !seen[value][rest] && rest != "" {
			again++
		}
		seen[value][rest] = true
		inKey, inAll = inKey+len(value), inAll+len(value)+len(rest)
	}
	return 4*again >= len(s.all) && float64(inKey) >= sharesMost*float64(inAll)
}

// restOf are the members of a record with texts of its own, other than one.
func restOf(record map[string]any, key string) string {
	var rest []byte
	for _, name := range ownNames {
		if value, isThere := record[name]; isThere && name != key {
			text, _ := json.Marshal(value) // it was JSON
			rest = append(rest, text...)
		}
	}
	return string(rest)
}

// without are the paths but that of a member.
func without(paths []string, key string) []string {
	isKey := func(path string) bool { return strings.TrimSuffix(path, "?") == key }
	return slices.DeleteFunc(slices.Clone(paths), isKey)
}
