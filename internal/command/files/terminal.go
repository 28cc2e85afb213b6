package files

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// AnnounceTerminal reports whether input is read from a terminal, and says so unless quiet is set.
// Most often nobody intends that, and the program would seem to hang.
func AnnounceTerminal(paths []string, std Streams, quiet bool) (typed bool) {
	typed = slices.Contains(paths, "-") && term.IsTerminal(int(std.In.Fd()))
	if typed && !quiet {
		fmt.Fprintln(std.Err, "mithril-stream: reading from the terminal: name a FILE, or "+
			"end what you type with Ctrl-D (--help has the options)")
	}
	return typed
}

// TerminalWidth returns the number of columns of a terminal, or 0 if it is unknown.
func TerminalWidth(f *os.File) int {
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// A Part is a piece of a progress line. If not all parts fit, those of the highest rank are left
// out first.
type Part struct {
	Text string
	Rank int
}

// Fit joins as many parts as fit on one line of a terminal with the given width; with 0 columns,
// all fit. The last column stays free, since some terminals begin a new line when it is written.
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
