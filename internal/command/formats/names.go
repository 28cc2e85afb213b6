package formats

import (
	"fmt"

	"github.com/mithril-stream/mithril-stream/internal/layout"
)

// checkNames refuses to write one format to a file whose name says another, since readers would
// believe the name.
func (w Request) checkNames() error {
	rejected := w.Name
	switch {
	case w.KeepsTypes():
		rejected = w.To
	case w.To != "" && layout.IsColumnar(w.Name):
		rejected = "jsonl" // every row can be converted
	}
	for _, path := range []string{w.Output, w.Duplicates} {
		if err := w.CheckName(path); err != nil {
			return err
		}
	}
	if named := layout.ByPath(w.Rejects); !w.MayHold(named, rejected) {
		return fmt.Errorf("%s is %s by its name, but records that cannot be read are written as they came, as %s: "+
			"name it %s", w.Rejects, named, rejected, layout.Ending(rejected))
	}
	return nil
}
