package command

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// announceTerminal says that input is awaited from a terminal: most often none was meant, and the
// program would seem to hang. It reports whether that is so.
func announceTerminal(paths []string, std Streams, quiet bool) (typed bool) {
	typed = slices.Contains(paths, "-") && term.IsTerminal(int(std.In.Fd()))
	if typed && !quiet {
		fmt.Fprintln(std.Err, "mithril-stream: reading from the terminal: name a FILE, or "+
			"end what you type with Ctrl-D (--help has the options)")
	}
	return typed
}

// terminalWidth is how many columns a terminal has, or 0 if that is not known.
func terminalWidth(f *os.File) int {
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// A part is a piece of a line of progress. Where there is no room for all of them, those of the
// highest rank are left out first.
type part struct {
	text string
	rank int
}

// fit joins as many parts as a terminal of the given width shows on one line; 0 columns are room
// for all. The last column stays free: some terminals begin a new line when it is written.
func fit(parts []part, columns int) string {
	parts = slices.Clone(parts)
	for {
		line := joinParts(parts)
		switch {
		case columns <= 0 || utf8.RuneCountInString(line) < columns:
			return line
		case len(parts) == 1:
			return string([]rune(line)[:columns-1])
		}
		worst := 0
		for i, p := range parts {
			if p.rank > parts[worst].rank {
				worst = i
			}
		}
		parts = slices.Delete(parts, worst, worst+1)
	}
}

func joinParts(parts []part) string {
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = p.text
	}
	return strings.Join(texts, "  ")
}
