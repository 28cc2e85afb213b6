package windows

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/windowclock"
)

// A State is the part of a commit that describes a Memory, besides the lengths of its logs.
type State struct {
	Clock   *windowclock.Clock `json:"clock,omitempty"`   // for windows of time
	Present *int64             `json:"present,omitempty"` // with Params.Exact; windowclock.None before the first window
	// Params.Capacity, for windows of records
	Capacity   uint64    `json:"capacity,omitempty"`
	Remembered []Window  `json:"remembered"`        // the oldest first
	Dropped    []Dropped `json:"dropped,omitempty"` // those that still have files
	counted              // over all dropped windows
	// the newest window when the last run began
	Before uint64 `json:"before,omitempty"`
}

// A Window is a window that is remembered.
type Window struct {
	Number  uint64 `json:"number"`            // from 1, over the life of the memory
	First   uint64 `json:"first"`             // number of its first record in the stream
	Records uint64 `json:"records"`           // observed or passed
	Entries uint64 `json:"entries"`           // records remembered
	Window  int64  `json:"window,omitempty"`  // number by the clock
	Deleted uint64 `json:"deleted,omitempty"` // deleted records, which are still in the logs
	// how often the logs were rewritten without deleted records
	Rewritten uint64 `json:"rewritten,omitempty"`
}

// Dropped describes windows that a run has dropped. The logs of their names remain, since the
// verdicts of that run or of an earlier one may be repeated.
type Dropped struct {
	From uint64 `json:"from"` // number of the first one
	To   uint64 `json:"to"`
	Run  uint64 `json:"run"`
	// up to this window the logs of records remain too, for undo
	Logs uint64 `json:"logs,omitempty"`
}

// mostKept bounds Params.Keep, as for Bloom filters: each window is queried for each record.
const mostKept = 64

// damage returns an error for an inconsistent State.
func damage(format string, args ...any) error {
	return fmt.Errorf("%w: %s", memory.ErrCorrupt, fmt.Sprintf(format, args...))
}

// Check returns an error if no memory of that many records and entries can have this state.
func (s *State) Check(records, entries uint64) error {
	n := len(s.Remembered)
	if n < 1 || n > mostKept {
		return damage("the commit names %d windows", n)
	}
	for i, w := range s.Remembered {
		switch {
		case w.Number == 0 || w.First == 0 || w.Entries > w.Records || w.Deleted > w.Records:
			return damage("the commit describes a window %d that is not possible", w.Number)
		case w.Records > records || entries < w.Entries:
			return damage("the commit has more records in window %d than in all", w.Number)
		case i > 0 && (w.Number != s.Remembered[i-1].Number+1 || !s.follows(&w, &s.Remembered[i-1])):
			return damage("in the commit window %d follows window %d", w.Number, s.Remembered[i-1].Number)
		case i > 0 && s.Clock != nil && w.Window <= s.Remembered[i-1].Window:
			return damage("in the commit window %d is of no later time than the one before", w.Number)
		}
		entries -= w.Entries
	}
	last := s.Remembered[n-1]
	switch {
	case last.next() != records+1 || entries != 0:
		return damage("the windows of the commit do not have the %d records that it counts", records)
	case s.Clock != nil && (len(s.Clock.Early) >= windowclock.Believed || last.Window != s.Clock.Window):
		return damage("the commit has a clock that is not that of its last window")
	case s.Present != nil && s.Clock == nil:
		return damage("the commit has times of keys, and no clock")
	}
	return s.checkDropped()
}

// follows reports whether a window may follow another one. A window of time may begin with records
// that came early, which are in the previous window as well.
func (s *State) follows(w, before *Window) bool {
	return w.First == before.next() || s.Clock != nil && w.First > before.First && w.First < before.next()
}

func (s *State) checkDropped() error {
	before := uint64(0)
	for _, d := range s.Dropped {
		if d.From <= before || d.To < d.From || d.To >= s.Remembered[0].Number || d.Run == 0 {
			return damage("the commit says that windows %d to %d were dropped", d.From, d.To)
		}
		before = d.To
	}
	return nil
}

// next returns the number of the first record after the window.
func (w Window) next() uint64 {
	if w.First > math.MaxUint64-w.Records {
		return 0
	}
	return w.First + w.Records
}

// Deleted returns the number of deleted records that are still in the logs.
func (s *State) Deleted() (all uint64) {
	for _, w := range s.Remembered {
		all += w.Deleted
	}
	return all
}

// Since returns when a window begins, or "" if that is unknown.
func (w Window) Since(p Params) string {
	if !p.byTime() || p.Exact || // it may begin before the time of its clock
		w.Window == windowclock.None {
		return ""
	}
	return time.Unix(w.Window*p.seconds(), 0).UTC().Format(time.RFC3339)
}

// Prefixes of file names.
const logPrefix, namesPrefix = "exact-w", "exact-n"

// logName and namesName return the file names of the window's logs.
func (w *Window) logName() string   { return w.nameOf(logPrefix) }
func (w *Window) namesName() string { return w.nameOf(namesPrefix) }

func (w *Window) nameOf(prefix string) string {
	name := prefix + strconv.FormatUint(w.Number, 10)
	if w.Rewritten > 0 {
		name += "-" + strconv.FormatUint(w.Rewritten, 10)
	}
	return name
}

// parseName parses the name of a log.
func parseName(name string) (w Window, ofNames, ok bool) {
	numbers, isLog := strings.CutPrefix(name, logPrefix)
	if !isLog {
		if numbers, ofNames = strings.CutPrefix(name, namesPrefix); !ofNames {
			return w, false, false
		}
	}
	number, rewritten, isLater := strings.Cut(numbers, "-")
	var err, failed error
	w.Number, err = strconv.ParseUint(number, 10, 64)
	if isLater {
		w.Rewritten, failed = strconv.ParseUint(rewritten, 10, 64)
	}
	return w, ofNames, err == nil && failed == nil && (name == w.logName() || name == w.namesName())
}

// Log returns the name of the oldest log of records, or "" if there is none.
func (s *State) Log() string {
	if len(s.Remembered) == 0 {
		return ""
	}
	return s.Remembered[0].logName()
}

// Needs reports whether the state needs, or may need, the file name. A nil State needs none.
func (s *State) Needs(name string) bool {
	of, ofNames, ok := parseName(name)
	if s == nil || !ok {
		return false
	}
	for _, w := range s.Remembered {
		if w.Number == of.Number {
			return w.Rewritten == of.Rewritten
		}
	}
	for _, d := range s.Dropped {
		if n := of.Number; d.From <= n && n <= d.To && (ofNames || n <= d.Logs) {
			return true
		}
	}
	return false
}
