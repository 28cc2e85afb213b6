package windows

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/store"
	"github.com/mithril-stream/mithril-stream/internal/windowclock"
)

// A State is what a commit says of a Memory: it can be read again from the logs that it names, up
// to the lengths that it says.
type State struct {
	Clock      *windowclock.Clock `json:"clock,omitempty"`    // where windows are of time
	Capacity   uint64             `json:"capacity,omitempty"` // Params.Capacity, where they are not
	Remembered []Window           `json:"remembered"`         // the oldest first
	Dropped    []Dropped          `json:"dropped,omitempty"`  // of which there are files
	counted                       // of all dropped windows
	Before     uint64             `json:"before,omitempty"` // the newest window when the last run began
}

// A Window is one that is remembered.
type Window struct {
	Number    uint64 `json:"number"`              // from 1, in the life of the memory
	First     uint64 `json:"first"`               // the number of its first record in the stream
	Records   uint64 `json:"records"`             // observed or passed
	Entries   uint64 `json:"entries"`             // of these, remembered
	Window    int64  `json:"window,omitempty"`    // of the clock
	Bytes     int64  `json:"bytes"`               // of its log
	NameBytes int64  `json:"name_bytes"`          // of the log of names
	Deleted   uint64 `json:"deleted,omitempty"`   // of the records: they are in the logs, and do not count
	Rewritten uint64 `json:"rewritten,omitempty"` // how often the logs were written anew, without those
}

// Dropped are windows that one run has dropped. There are logs of their names, since verdicts of
// that run, or of one before, may be repeated.
type Dropped struct {
	From uint64 `json:"from"` // the number of the first one
	To   uint64 `json:"to"`
	Run  uint64 `json:"run"`
	Logs uint64 `json:"logs,omitempty"` // up to this window there are logs of records too, for undo
}

// mostKept bounds Params.Keep, as for Bloom filters: each window is asked about each record.
const mostKept = 64

// damage says what is wrong with a State.
func damage(format string, args ...any) error {
	return fmt.Errorf("%w: %s", memory.ErrCorrupt, fmt.Sprintf(format, args...))
}

// Check refuses a state that no memory of so many records and entries has.
func (s *State) Check(records, entries uint64) error {
	n := len(s.Remembered)
	if n < 1 || n > mostKept {
		return damage("the commit names %d windows", n)
	}
	for i, w := range s.Remembered {
		switch {
		case w.Number == 0 || w.First == 0 || w.Bytes <= 0 || w.NameBytes <= 0 || w.Entries > w.Records ||
			w.Deleted > w.Records:
			return damage("the commit describes a window %d that cannot be", w.Number)
		case w.Records > records || entries < w.Entries:
			return damage("the commit has more records in window %d than in all", w.Number)
		case i > 0 && (w.Number != s.Remembered[i-1].Number+1 || w.First != s.Remembered[i-1].next()):
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
	case s.Clock != nil && (s.Clock.Ahead >= windowclock.Believed || last.Window != s.Clock.Window):
		return damage("the commit has a clock that is not that of its last window")
	}
	return s.checkDropped()
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

// next is the number of the record after those of the window.
func (w Window) next() uint64 {
	if w.First > math.MaxUint64-w.Records {
		return 0
	}
	return w.First + w.Records
}

// Bytes is how long the logs of what is remembered are.
func (s *State) Bytes() (all int64) {
	s.Each(func(_ string, bytes int64) { all += bytes })
	return all
}

// Deleted is how many records are in the logs and do not count.
func (s *State) Deleted() (all uint64) {
	for _, w := range s.Remembered {
		all += w.Deleted
	}
	return all
}

// Each hands over the names and lengths of the logs of what is remembered.
func (s *State) Each(do func(name string, bytes int64)) {
	for _, w := range s.Remembered {
		do(w.logName(), w.Bytes)
		do(w.namesName(), w.NameBytes)
	}
}

// Kept are the logs in dir of dropped windows that the state needs, with their lengths: nothing is
// appended to them. They may be missing where nothing needs them any more.
func (s *State) Kept(dir *store.Dir, do func(name string, bytes int64)) error {
	there, err := dir.List()
	slices.Sort(there)
	for _, name := range there {
		w, _, ok := parseName(name)
		if !ok || w.Number >= s.Remembered[0].Number || !s.Needs(name) {
			continue
		}
		info, gone := dir.Stat(name)
		if gone == nil {
			do(name, info.Size())
		}
	}
	return err
}

// Since is when a window begins, or nothing where that is not known.
func (w Window) Since(p Params) string {
	if !p.byTime() || w.Window == windowclock.None {
		return ""
	}
	return time.Unix(w.Window*p.seconds(), 0).UTC().Format(time.RFC3339)
}

// Names of files.
const logPrefix, namesPrefix = "exact-w", "exact-n"

// logName and namesName are what the logs of the window are called.
func (w *Window) logName() string   { return w.nameOf(logPrefix) }
func (w *Window) namesName() string { return w.nameOf(namesPrefix) }

func (w *Window) nameOf(prefix string) string {
	name := prefix + strconv.FormatUint(w.Number, 10)
	if w.Rewritten > 0 {
		name += "-" + strconv.FormatUint(w.Rewritten, 10)
	}
	return name
}

// parseName takes the name of a log apart.
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

// IsLog reports whether a file of that name is a log of a window.
func IsLog(name string) bool {
	_, _, ok := parseName(filepath.Base(name))
	return ok
}

// Needs reports whether the state needs a file of that name, or may do so. A nil one needs none.
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
