package run

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/formats"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/internal/shown"
)

// AnnounceField says which field was found, so that it can be named.
func AnnounceField(of formats.Source, quiet bool, std files.Streams) {
	paths := of.Found.Paths
	if len(paths) == 0 || quiet {
		return
	}
	what, names, flags := "field", make([]string, len(paths)), make([]string, len(paths))
	if len(paths) > 1 {
		what = "fields"
	}
	for i, path := range paths {
		names[i] = record.WithoutBraces(path)
		flags[i] = "--field " + CommandLine([]string{path})
	}
	line := fmt.Sprintf("the text is in the %s %s: %s", what, strings.Join(names, ", "), strings.Join(flags, " "))
	if of.Found.LeavesOut != "" {
		line += fmt.Sprintf("; the system prompt, %s, is left out", of.Found.LeavesOut)
	}
	if of.Found.Tools != "" {
		line += fmt.Sprintf("; the descriptions of tools, %s, are left out", of.Found.Tools)
	}
	shown.Notice(std.Err, "%s", line)
}

// AnnounceLeftOut says which files of directories are not read, so that they can be asked for.
func AnnounceLeftOut(quiet bool, std files.Streams) {
	if news := std.Selection.SkippedNote(); news != "" && !quiet {
		shown.Notice(std.Err, "%s", news)
	}
}

// announceNotes prints what parsing the command line has found out.
func announceNotes(notes []string, quiet bool, std files.Streams) {
	for _, note := range notes {
		if !quiet {
			shown.Notice(std.Err, "%s", note)
		}
	}
}

// announcePathColumns says that columns which other programs take from the names of directories, as
// lang=de, are not in the rows that are written.
func (s *Source) announcePathColumns(w formats.Request) {
	if w.Unwritten || w.PerInput || s.Quiet {
		return
	}
	missing := slices.DeleteFunc(files.PathColumns(s.Paths), s.HasColumn)
	if len(missing) > 0 {
		shown.Notice(s.Std.Err, "the names of directories give columns (%s) that are not in the records, and so not "+
			"in what is written: --output-dir keeps the directories", strings.Join(missing, ", "))
	}
}

// announceTerminal is called before the run waits for input from a terminal.
func (s *Source) announceTerminal(c *config.Filter) {
	s.Typed = files.AnnounceTerminal(append(slices.Clone(s.Paths), c.Input.Verdicts), s.Std, s.Quiet)
}
