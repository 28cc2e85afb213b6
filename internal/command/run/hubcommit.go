package run

import (
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A file of the Hub is identified by its commit, which never changes; the user may give a branch,
// which does. If an earlier run has read another commit, the user is told.

// refuseMoved refuses to continue a run that has read an earlier commit.
func refuseMoved(last *State, std files.Streams) error {
	m, known := std.Objects.Moved(last.Stats.At.Name)
	if !known || m.Was == m.Is {
		return nil
	}
	return stream.CannotResume("%s was the commit %s when the run to be resumed began, and is %s now: to go on, give "+
		"%s in its place", m.Revision, m.Was, m.Is, m.Pinned)
}

// announceMoved says that the newest run over a dataset has read an earlier commit, whose verdicts
// are not repeated.
func (h *history) announceMoved(std files.Streams) {
	runs := h.of.Runs
	for i := len(runs) - 1; i >= 0; i-- {
		m, known := std.Objects.Moved(runs[i].Input)
		switch {
		case !known:
			continue
		case m.Was != m.Is:
			shown.Notice(std.Err, "%s was the commit %s in run %d, and is %s now, which is judged as a new input; %s "+
				"is what that run read", m.Revision, m.Was, runs[i].Number, m.Is, m.Pinned)
		}
		return
	}
}
