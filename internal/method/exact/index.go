package exact

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/jsonout"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/memory/windows"
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// An exact memory in a directory is a section of its index (internal/index), with a log of its
// records that nothing else refers to.

// firstLog is the name of the log in the directory until it is rewritten.
const firstLog = "exact"

// sectionName is the name of an exact memory in commits.
const sectionName = "exact"

// exactParameter distinguishes an index with such a log from others.
var exactParameter = bloomlsh.Parameter{Name: identity.MemoryParameter, Value: spec.MemoryExact}

// identityOf returns the identity of an exact memory for band keys with an identity.
func identityOf(keys []bloomlsh.Parameter, p sketch.Params, v spec.Verification) []bloomlsh.Parameter {
	parameters := append(slices.Clone(keys), exactParameter, identity.SlotBits(p))
	if v.ComparesSets() {
		parameters = append(parameters, bloomlsh.Parameter{Name: identity.VerifyParameter, Value: v.Verify})
	}
	return append(parameters, identity.Sets(v)...)
}

// openDir opens the memory of that identity in a directory.
func (o *Opening) openDir(m *Memory, parameters []bloomlsh.Parameter, kind *Kind) (err error) {
	if m.after != nil {
		m.writer = m.after.filters.Store.Writer
	} else if m.writer, err = o.openIndex(parameters); err != nil {
		return err
	}
	last, err := StateIn(m.writer.LastCommit(), m.writer.Path())
	if err != nil {
		return err
	}
	m.deleted, m.rewritten = last.Deleted, last.Rewritten
	m.writer.Add(sectionOf{m})
	if m.forgets != nil {
		return o.openWindows(m, last, kind)
	}
	if last.Records == 0 && !isListed(m.writer, last.logName()) {
		if m.file, err = m.writer.CreateLog(last.logName()); err != nil {
			return err
		}
		return m.load(last, kind, 0)
	}
	file, length, err := m.writer.OpenLog(last.logName())
	if err != nil {
		return err
	}
	m.file = file
	return m.load(last, kind, length)
}

// isListed reports whether the last commit of an index lists a log.
func isListed(w *index.Writer, name string) bool {
	_, ok := w.LastCommit().Log(name)
	return ok
}

// openIndex opens or creates the index of an exact memory of that identity.
func (o *Opening) openIndex(parameters []bloomlsh.Parameter) (*index.Writer, error) {
	m := o.Method.Memory
	parameters, err := identity.WithMadeBy(parameters, m)
	if err != nil {
		return nil, err
	}
	own := identity.Own(o.Keys.Bands, o.Keys.Votes, m.Remember, m.Forget)
	return openPlain(m.Index, append(slices.Clone(parameters), own...), o.Decide)
}

// openPlain opens or creates an index without filters.
func openPlain(dir string, parameters []bloomlsh.Parameter, decide index.Decide) (*index.Writer, error) {
	w, err := index.OpenWriter(index.System, dir, decide)
	if err != nil {
		return nil, err
	}
	stored, exists := w.Parameters()
	switch {
	case !exists:
		err = w.Create(parameters, index.NoBase{}, index.Position{})
	default:
		if err = index.CheckParameters(dir, identity.WithoutFilters(stored), parameters); err == nil {
			err = w.Load(index.NoBase{}, index.VerifyFrames)
		}
	}
	if err != nil {
		return nil, errors.Join(err, w.Abandon())
	}
	return w, nil
}

// load reads the log. If filters have replaced its records, it reads only their names, for verdicts
// of a repeated run.
func (m *Memory) load(last State, kind *Kind, length int64) (err error) {
	if last.BloomFrom > 0 {
		m.after.state, m.Names.Until = last, last.logged()
		err = memory.ReadNotes(m.file, length, m.Names.Load)
	} else if err = kind.CheckRoom(last.Signatures, kind.Entries+" that it has"); err == nil {
		if m.log, err = memory.Load(kind.Begin, m.writer.Path(), m.file, length, m.loadNote); err == nil {
			m.file.FlushBy(m.log.Flush)
			m.Index = m.log
			m.Names.NoteTo(m.log.Note)
		}
	}
	if err == nil {
		err = m.checkLoaded(last.logged())
	}
	if err == nil && m.log != nil {
		err = last.checkLog(m.log.Stats().Records)
	}
	if err != nil {
		return damaged(m.writer.LogPath(last.logName()), err)
	}
	return nil
}

// A State is what a commit says about an exact memory, besides the lengths of its logs.
type State struct {
	Records    uint64 `json:"records"`
	Signatures uint64 `json:"signatures"` // distinct ones that are remembered
	Duplicates uint64 `json:"duplicates"`
	Copies     uint64 `json:"copies,omitempty"`
	Forgotten  uint64 `json:"forgotten,omitempty"`
	BloomFrom  uint64 `json:"bloom_from,omitempty"` // the first record that the filters have judged, if any
	Deleted    uint64 `json:"deleted,omitempty"`    // records whose entries or names are in the log and do not count
	// how often the log was rewritten without deleted records
	Rewritten uint64 `json:"rewritten,omitempty"`
	Counted   string `json:"counted,omitempty"` // how its groups are counted, as the flags say, if they are

	Windows *windows.State `json:"windows,omitempty"` // the windows, each with logs, if it forgets
}

// logged returns the number of records in the log: those that filters judge are not in it.
func (x State) logged() uint64 {
	if x.BloomFrom > 0 {
		return x.BloomFrom - 1
	}
	return x.Records
}

// checkLog returns an error unless the log has the given number of records.
func (x State) checkLog(records uint64) error {
	if counted := x.logged(); records != counted {
		return fmt.Errorf("%w: it has %d records, and the last commit counts %d", memory.ErrCorrupt, records, counted)
	}
	return nil
}

// logName returns the name of the log in the directory of the index.
func (x State) logName() string {
	if x.Rewritten == 0 {
		return firstLog
	}
	return fmt.Sprintf("%s-%d", firstLog, x.Rewritten)
}

// stateFrom returns the state of an index, without that of its log.
func stateFrom(s memory.Stats) State {
	return State{
		Records: s.Records, Signatures: s.Entries, Duplicates: s.Duplicates, Copies: s.Copies, Forgotten: s.Forgotten,
	}
}

// StateIn returns the state of the exact memory in a commit of the index in dir. It is zero if
// there is none, as before the first run.
func StateIn(c *index.Commit, dir string) (x State, err error) {
	if err := decodeState(c, sectionName, &x); err != nil {
		return x, fmt.Errorf("%s: %w", dir, err)
	}
	return x, nil
}

// decodeState decodes the JSON state of a section.
func decodeState(c *index.Commit, section string, to any) error {
	text := c.State(section)
	if len(text) == 0 {
		return nil
	}
	if err := json.Unmarshal(text, to); err != nil {
		return fmt.Errorf("%w: what its last commit says of %s cannot be read: %w", memory.ErrCorrupt, section, err)
	}
	return nil
}

func damaged(path string, err error) error { return advised(fmt.Errorf("%s: %w", path, err)) }

// sectionOf makes an exact memory a section of its index.
type sectionOf struct{ *Memory }

// Name implements index.Section.
func (sectionOf) Name() string { return sectionName }

// State implements index.Section.
func (s sectionOf) State() ([]byte, error) {
	state, err := s.state()
	if err != nil {
		return nil, err
	}
	return jsonout.Marshal(state)
}

// state appends what is new to the logs, and returns the state of the memory.
func (m *Memory) state() (x State, err error) {
	if m.windows != nil {
		of, err := m.windows.Commit()
		if err != nil {
			return x, err
		}
		x = stateFrom(m.windows.Stats())
		x.Windows, x.Deleted = of, of.Deleted()
		return x, nil
	}
	if err := m.retire(); err != nil {
		return x, err
	}
	if m.HasTurned() {
		return m.after.state, nil
	}
	x = stateFrom(m.Index.Stats())
	if err := m.checkCommit(x.Records); err != nil {
		return State{}, fmt.Errorf("%s: %w", m.writer.Path(), err)
	}
	if err := m.note(); err != nil {
		return State{}, err
	}
	x.Rewritten, x.Deleted = m.rewritten, m.deleted
	if m.Counts != nil {
		x.Counted = m.Counts.Selection().String()
	}
	return x, nil
}

// IsKept reports whether the memory is in a directory, where it is committed.
func (m *Memory) IsKept() bool { return m != nil && m.writer != nil }
