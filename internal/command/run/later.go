package run

import (
	"fmt"

	"github.com/mithril-stream/mithril-stream/internal/command/formats"
	"github.com/mithril-stream/mithril-stream/internal/quality/doubts"
	"github.com/mithril-stream/mithril-stream/internal/units"
)

// laterDoubts returns a doubt about removed records with text that was not compared since --field
// auto had not seen any in those fields.
func laterDoubts(later *formats.LaterFields) []doubts.Doubt {
	text, ok := later.Found()
	if !ok {
		return nil
	}
	says := fmt.Sprintf("text in %s, which --field auto had not seen, was not compared: it is in %s of %s "+
		"looked at", text.Fields, units.Count(uint64(text.Records)), units.Of(uint64(text.Looked), "removed record"))
	return []doubts.Doubt{{Name: "later", Says: says, Try: "name all fields: " + text.Flags}}
}
