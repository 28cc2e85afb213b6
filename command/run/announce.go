package run

import (
	"slices"

	"github.com/mithril-stream/mithril-stream/command/files"
	"github.com/mithril-stream/mithril-stream/command/formats"
	"github.com/mithril-stream/mithril-stream/internal/shown"
)

// AnnounceField says which field was found, so that it can be named.
func AnnounceField(of formats.Source, quiet bool, std files.Streams) {
	if of.Found != "" && !quiet {
		shown.Notice(std.Err, "the text is in the field %s: --field %s", of.Found, CommandLine([]string{of.Found}))
	}
}

// AnnounceLeftOut says which files of directories are not read, so that they can be asked for.
func AnnounceLeftOut(quiet bool, std files.Streams) {
	if news := std.Selection.News(); news != "" && !quiet {
		shown.Notice(std.Err, "%s", news)
	}
}

// announceTerminal is called before anything is awaited from a terminal.
func (f *Run) announceTerminal() {
	f.Typed = files.AnnounceTerminal(append(slices.Clone(f.Paths), f.Config.Verdicts), f.Std, f.Config.Output.Quiet)
}
