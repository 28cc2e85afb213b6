package identity

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/parameter"
	"github.com/mithril-stream/mithril-stream/sketch/markup"
)

// markupVersion is the parameter with the version of the rule by which texts are extracted, unless
// it is the first.
const markupVersion = "markup-version"

// Markup are the parameters of texts that are extracted from that markup.
func Markup(name string) []bloomlsh.Parameter {
	list := []bloomlsh.Parameter{{Name: "markup", Value: name}}
	if version := markup.Version(name); version > 1 {
		list = append(list, bloomlsh.Parameter{Name: markupVersion, Value: strconv.Itoa(version)})
	}
	return list
}

// CheckMarkup returns an error if the extraction of texts has changed since these parameters were
// stored.
func CheckMarkup(identity []bloomlsh.Parameter) error {
	name, _ := parameter.Value(identity, "markup")
	var stored []bloomlsh.Parameter
	for _, p := range identity {
		if p.Name == "markup" || p.Name == markupVersion {
			stored = append(stored, p)
		}
	}
	if different := parameter.Differences(stored, Markup(name), "here"); name != "" && len(different) > 0 {
		return fmt.Errorf("its texts were extracted by another rule: %s; make it again", strings.Join(different, ", "))
	}
	return nil
}
