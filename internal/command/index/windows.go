package index

import (
	"fmt"
	"io"

	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/memory/windows"
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
	"github.com/mithril-stream/mithril-stream/internal/units"
)

// writeWindows lists the generations of a memory that forgets.
func writeWindows(out io.Writer, s *windows.State, entries string, of []index.Parameter) {
	p := identity.WindowsOf(of)
	fmt.Fprintf(out, "\ngeneration\trecords\t%s\tfrom record\n", entries)
	for _, w := range s.Remembered {
		fmt.Fprintf(out, "%d\t%s\t%s\t%s", w.Number, units.Count(w.Records), units.Count(w.Entries),
			units.Count(w.First))
		if from := w.Since(p); from != "" {
			fmt.Fprintf(out, "\tsince %s", from)
		}
		fmt.Fprintln(out)
	}
}
