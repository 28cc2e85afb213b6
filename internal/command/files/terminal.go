package files

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// AnnounceTerminal says that input is awaited from a terminal: most often none was meant, and the
// program would seem to hang. It reports whether that is so.
func AnnounceTerminal(paths []string, std Streams, quiet bool) (typed bool) {
	typed = slices.Contains(paths, "-") && term.IsTerminal(int(std.In.Fd()))
	if typed && !quiet {
		fmt.Fprintln(std.Err, "mithril-stream: reading from the terminal: name a FILE, or "+
			"end what you type with Ctrl-D (--help has the options)")
	}
	return typed
}

// TerminalWidth is how many columns a terminal has, or 0 if that is not known.
func TerminalWidth(f *os.File) int {
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// A Part is a piece of a line of progress. Where there is no room for all of them, those of the
// highest rank are left out first.
type Part struct {
	Text string
	Rank int
}

// Fit joins as many parts as a terminal of the given width shows on one line; 0 columns are room
// for all. The last column stays free: some terminals begin a new line when it is written.
func Fit(parts []Part, columns int) string {
	parts = slices.Clone(parts)
	for {
		line := JoinParts(parts)
		switch {
		case columns <= 0 || utf8.RuneCountInString(line) < columns:
			return line
		case len(parts) == 1:
			return string([]rune(line)[:columns-1])
		}
		worst := 0
		for i, p := range parts {
			if p.Rank > parts[worst].Rank {
				worst = i
			}
		}
		parts = slices.Delete(parts, worst, worst+1)
	}
}

func JoinParts(parts []Part) string {
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = p.Text
	}
	return strings.Join(texts, "  ")
}
