// Package journal records the runs of an index: the input of each, and the verdict on every record.
// So the same command can be repeated after a complete run, for example by a scheduler that lost
// its exit code, with the same output (I7). Asking the index again would only find duplicates.
//
// A Journal is a section of the index, with files of its own for each run: N.json describes the
// run, N.verdicts holds a bit for each record, and N.pieces, if pieces of records were cut or
// masked, a bit for each piece. They are flushed before a commit counts. A run counts if the index
// says that it was committed; later files are left over from a crash. docs/design/format.md defines
// them.
package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/jsonout"
	"github.com/mithril-stream/mithril-stream/internal/written"
)

// Name is the name of the journal in commits and that of its directory inside the index.
const Name = "runs"

// A Run describes a run.
type Run struct {
	Number  uint64           `json:"run"` // from 1, in the order of commits
	Ended   time.Time        `json:"ended"`
	Input   string           `json:"input"`  // name of the first input
	Inputs  int              `json:"inputs"` // number of inputs
	Records uint64           `json:"records"`
	Kept    uint64           `json:"kept"`
	Source                   // what it read
	Outputs []written.Output `json:"outputs,omitempty"` // what it wrote
	Place   written.Place    `json:"index,omitzero"`    // where the index was
	// the outputs are being rewritten, or rewriting was interrupted
	Rewriting bool `json:"rewriting,omitempty"`
	// an earlier run whose input is a prefix of this one's, and whose output this run continued
	Extends uint64 `json:"extends,omitempty"`
	Details        // also stored in the file of verdicts
	Hash    string `json:"verdicts_xxh3"` // of the file of verdicts

	// Remembered is the number of records in the memory at the end of the run, if groups are
	// counted.
	Remembered uint64 `json:"remembered,omitempty"`
	// the name that its caller gave it (BeginNamed), and the number of records in the memory before
	// it
	Name   string `json:"name,omitempty"`
	Before uint64 `json:"before,omitempty"`
	// number of records deleted from the index by a run that read nothing
	Deleted uint64 `json:"deleted,omitempty"`

	PiecesHash string `json:"pieces_xxh3,omitempty"` // hash of the file of pieces, if there is one

	Recorded    bool `json:"recorded,omitempty"` // its files of verdicts and pieces must exist
	HasVerdicts bool `json:"-"`                  // those files exist
}

// ErrDamaged is returned if a file of the journal has changed since it was written.
var ErrDamaged = errors.New("damaged journal of runs")

var errMissing = fmt.Errorf("%w: it is missing", ErrDamaged)

// A Journal holds the runs of one index. It is not safe for concurrent use; the index's lock guards
// it.
type Journal struct {
	index *index.Dir
	dir   *index.Dir // directory inside the index; nil if it does not exist
	Runs  []Run      // the committed runs, in order

	due func() (state []byte, err error) // called by the next commit to flush; may be nil
}

// Name implements index.Section.
func (j *Journal) Name() string { return Name }

// State implements index.Section. It makes durable what is recorded about a run, and returns the
// State from which to resume it, or nil if the run is complete.
func (j *Journal) State() ([]byte, error) {
	if j.due == nil {
		return nil, nil
	}
	return j.due()
}

// Open reads the runs of an index up to number committed; if that is 0, there are none. A missing
// journal is empty.
func Open(path string, committed uint64) (*Journal, error) {
	dir, err := index.OpenDir(path)
	if err != nil {
		return nil, err
	}
	j := &Journal{index: dir}
	j.dir, err = dir.Sub(Name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && committed == 0:
		return j, nil
	case errors.Is(err, fs.ErrNotExist):
		err = j.missing(Name)
	case err == nil:
		err = j.readAll(committed)
	}
	if err != nil {
		return nil, errors.Join(err, j.Close())
	}
	return j, nil
}

// CheckNotMoved returns an error if the path of the index now leads to another directory.
func (j *Journal) CheckNotMoved() error { return j.index.CheckNotMoved() }

// readAll reads the committed runs.
func (j *Journal) readAll(committed uint64) error {
	names, err := j.dir.List()
	if err != nil {
		return err
	}
	slices.Sort(names)
	for _, name := range names {
		digits, ok := strings.CutSuffix(name, metaSuffix)
		number, err := strconv.ParseUint(digits, 10, 64)
		if !ok || err != nil || number == 0 || number > committed || name != fileName(number, metaSuffix) {
			continue
		}
		run, err := j.read(number)
		if err != nil {
			return err
		}
		if run.Number > uint64(len(j.Runs))+1 {
			break
		}
		j.Runs = append(j.Runs, run)
	}
	if next := uint64(len(j.Runs)) + 1; next <= committed {
		return j.missing(filepath.Join(Name, fileName(next, metaSuffix)))
	}
	return nil
}

// missing returns the error for a missing file, or a missing journal, that a commit depends on.
func (j *Journal) missing(name string) error {
	dir := j.index.Path()
	return fmt.Errorf("%s: %w: restore the index from a whole copy, as cp -r makes one; or have "+
		"mithril-stream index settle %s give up what it knows of its runs, whose inputs would be judged anew",
		filepath.Join(dir, name), errMissing, dir)
}

// Close closes the journal.
func (j *Journal) Close() error {
	if j == nil {
		return nil
	}
	j.due = nil
	err := j.index.Close()
	if j.dir != nil {
		err = errors.Join(err, j.dir.Close())
	}
	return err
}

const (
	metaSuffix     = ".json"
	verdictsSuffix = ".verdicts"
	maxMeta        = 64 << 20
)

func fileName(number uint64, suffix string) string { return fmt.Sprintf("%08d%s", number, suffix) }

// read reads the description of a run. A writer may drop the run's verdicts meanwhile, so read
// looks for missing files twice.
func (j *Journal) read(number uint64) (run Run, err error) {
	if run, err = j.readOnce(number); errors.Is(err, errMissing) {
		run, err = j.readOnce(number)
	}
	return run, err
}

func (j *Journal) readOnce(number uint64) (run Run, err error) {
	file, err := j.dir.Open(fileName(number, metaSuffix))
	if err != nil {
		return run, err
	}
	text, err := io.ReadAll(io.LimitReader(file, maxMeta+1))
	if err = errors.Join(err, file.Close()); err != nil {
		return run, err
	}
	if len(text) > maxMeta {
		return run, fmt.Errorf("%s: %w: it has more than %d bytes", file.Name(), ErrDamaged, maxMeta)
	}
	line, sum, _ := strings.Cut(string(text), "\n")
	if sum != sumOf(line) || json.Unmarshal([]byte(line), &run) != nil || run.Number != number {
		return run, fmt.Errorf("%s: %w: it does not describe run %d", file.Name(), ErrDamaged, number)
	}
	if run.HasVerdicts, err = j.has(number, verdictsSuffix); err != nil {
		return run, err
	}
	hasPieces, err := j.has(number, piecesSuffix)
	switch {
	case err != nil || !run.Recorded:
	case !run.HasVerdicts:
		err = j.missing(filepath.Join(Name, fileName(number, verdictsSuffix)))
	case run.Pieces != "" && !hasPieces:
		err = j.missing(filepath.Join(Name, fileName(number, piecesSuffix)))
	}
	return run, err
}

// has reports whether a file of a run exists.
func (j *Journal) has(number uint64, suffix string) (bool, error) {
	_, err := j.dir.Stat(fileName(number, suffix))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Verify checks the verdicts of all runs that are still kept.
func (j *Journal) Verify() error {
	for _, run := range j.Runs {
		if !run.HasVerdicts {
			continue
		}
		r, err := j.Replay(run, Pieces{})
		if err != nil {
			return err
		}
		if err := r.Close(); err != nil {
			return err
		}
		if run.Pieces == "" {
			continue
		}
		f, err := openChecked(j.dir, fileName(run.Number, piecesSuffix), run.PiecesHash)
		if err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	return nil
}

// First returns the number of the run in which a run's verdicts begin. A run that continued earlier
// ones includes their verdicts.
func (j *Journal) First(run Run) uint64 {
	for run.Extends > 0 && run.Extends < run.Number {
		i := slices.IndexFunc(j.Runs, func(r Run) bool { return r.Number == run.Extends })
		if i < 0 {
			return run.Extends
		}
		run = j.Runs[i]
	}
	return run.Number
}

// Oldest returns the number of the first run whose verdicts are still kept. If there is none, it
// returns a number greater than that of any run.
func (j *Journal) Oldest() uint64 {
	oldest := uint64(math.MaxUint64)
	for _, run := range j.Runs {
		if run.HasVerdicts {
			oldest = min(oldest, j.First(run))
		}
	}
	return oldest
}

// Keep drops the verdicts of all but the newest runs and keeps their descriptions. A file that
// cannot be removed is left to the next call.
func (j *Journal) Keep(newest int) {
	for i := range max(0, len(j.Runs)-newest) {
		if run := &j.Runs[i]; run.HasVerdicts {
			if run.Recorded {
				if run.Recorded = false; j.note(*run) != nil { // else reported as missing
					run.Recorded = true
					continue
				}
			}
			run.HasVerdicts = j.dir.Remove(fileName(run.Number, verdictsSuffix)) != nil
			_ = j.dir.Remove(fileName(run.Number, piecesSuffix))
		}
	}
}

// Rewriting durably records that the outputs of a run are about to be rewritten, at the paths now
// in run. Until that is done, they may be in any state.
func (j *Journal) Rewriting(run Run) error {
	run.Rewriting = true
	return j.update(run)
}

// Rewritten records that the outputs of a run were rewritten, to other files with the same names.
func (j *Journal) Rewritten(number uint64, outputs []written.Output) error {
	i := slices.IndexFunc(j.Runs, func(r Run) bool { return r.Number == number })
	if i < 0 {
		return nil
	}
	run := j.Runs[i]
	run.Rewriting, run.Outputs = false, slices.Clone(run.Outputs)
	for n, old := range run.Outputs {
		for _, now := range outputs {
			if old.Path == now.Path && old.Stream == now.Stream {
				run.Outputs[n] = now
			}
		}
	}
	return j.update(run)
}

// update makes the new description of a run durable, if it has changed.
func (j *Journal) update(run Run) error {
	i := slices.IndexFunc(j.Runs, func(r Run) bool { return r.Number == run.Number })
	old := j.Runs[i]
	if old.Rewriting == run.Rewriting && old.Place == run.Place && slices.Equal(old.Outputs, run.Outputs) {
		return nil
	}
	j.Runs[i] = run
	return j.note(run)
}

// Deletion makes the next commit record a run that deletes that many records, which an input lists.
func (j *Journal) Deletion(number uint64, input string, records uint64) {
	j.Describe(Run{
		Number: number, Ended: time.Now().UTC().Truncate(time.Second), Input: input, Inputs: 1, Deleted: records,
	})
}

// Describe makes the next commit record a run without verdicts, which cannot be repeated.
func (j *Journal) Describe(run Run) {
	j.due = func() ([]byte, error) { return nil, j.describe(run) }
}

func (j *Journal) describe(run Run) error {
	if err := j.make(); err != nil {
		return err
	}
	for _, suffix := range []string{verdictsSuffix, piecesSuffix} { // left by an undone or unfinished run
		if err := j.dir.Remove(fileName(run.Number, suffix)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return j.note(run)
}

// make creates the directory if it does not exist.
func (j *Journal) make() (err error) {
	if err := j.index.Make(Name); err != nil || j.dir != nil {
		return err
	}
	j.dir, err = j.index.Sub(Name)
	return err
}

// note makes the description of a run durable.
func (j *Journal) note(run Run) error {
	text, err := jsonout.Marshal(run)
	if err != nil {
		return err
	}
	return j.dir.Replace(fileName(run.Number, metaSuffix), []byte(string(text)+"\n"+sumOf(string(text))))
}

// sumOf returns the second line of a description, which is the checksum of the first.
func sumOf(line string) string { return fmt.Sprintf("%016x\n", xxh3.HashString(line)) }
