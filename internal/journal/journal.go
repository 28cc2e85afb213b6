// Package journal remembers the runs that an index has taken in: which input each of them read, and
// what was decided about every record. So the same command may be given again after a run that is
// complete, by a scheduler that lost its exit code, and yields the same output (I7), where asking
// the index would find nothing but duplicates.
//
// A journal is a directory of files for each run, all written before the index is committed: N.json
// says what the run was, N.verdicts has a bit for each record, and N.pieces, if pieces of records
// were cut or masked, a bit for each of these. A run counts if the index says that it was
// committed; later files are what a crash has left. docs/design/format.md defines them.
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

	"github.com/mithril-stream/mithril-stream/internal/store"
)

// Name is the journal's directory in that of the index.
const Name = "runs"

// A Run is what is known of a run.
type Run struct {
	Number  uint64    `json:"run"` // from 1, in the order of their commits
	Ended   time.Time `json:"ended"`
	Input   string    `json:"input"`  // the name of the first input
	Inputs  int       `json:"inputs"` // how many there were
	Records uint64    `json:"records"`
	Kept    uint64    `json:"kept"`
	Source            // what it has read
	Outputs []Output  `json:"outputs,omitempty"` // what it has written
	Extends uint64    `json:"extends,omitempty"` // the run whose input this one's begins with, and whose output it went on with
	Details           // are in the file of verdicts too
	Hash    string    `json:"verdicts_xxh3"` // of the file of verdicts

	// Remembered is how many records the memory had at the end of the run, where their groups are
	// counted.
	Remembered uint64 `json:"remembered,omitempty"`
	Deleted    uint64 `json:"deleted,omitempty"` // records that it had the index forget: then it has read none

	PiecesHash string `json:"pieces_xxh3,omitempty"` // of the file of pieces, if there is one

	Recorded    bool `json:"recorded,omitempty"` // its files of verdicts and pieces must be there
	HasVerdicts bool `json:"-"`                  // they are
}

// ErrDamaged says that a file of the journal is not as it was written.
var ErrDamaged = errors.New("damaged journal of runs")

var errMissing = fmt.Errorf("%w: it is missing", ErrDamaged)

// A Journal is the runs of one index. It is not safe for concurrent use; the index's lock guards
// it.
type Journal struct {
	index *store.Dir
	dir   *store.Dir // in that of the index; nil as long as there is none
	Runs  []Run      // that count, the first one first
}

// Open reads what the journal of an index has of the runs up to the one with the number committed,
// which is 0 if there is none. A journal that is missing holds nothing.
func Open(index string, committed uint64) (*Journal, error) {
	dir, err := store.OpenDir(index)
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

// StillThere returns an error if the path of the index leads to another directory.
func (j *Journal) StillThere() error { return j.index.StillThere() }

// readAll reads the runs that count.
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

// missing is the error of a file, or of the whole journal, that a commit counts on.
func (j *Journal) missing(name string) error {
	dir := j.index.Path()
	return fmt.Errorf("%s: %w: restore the index from a whole copy, as cp -r makes one; or have "+
		"mithril-stream index settle %s give up what it knows of its runs, whose inputs would be judged anew",
		filepath.Join(dir, name), errMissing, dir)
}

// Close ends the use of the journal.
func (j *Journal) Close() error {
	if j == nil {
		return nil
	}
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

// read describes a run. A writer may have dropped its verdicts between two looks, so what is
// missing is looked for once more.
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

// has reports whether a file of a run is there.
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
		r, err := j.Replay(run, nil)
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

// First is the number of the run that found the first verdicts of a run: it may have gone on with
// others, whose verdicts are among its own.
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

// Oldest is the number of the first run that found verdicts which are still kept. If there are none
// it is higher than that of any run.
func (j *Journal) Oldest() uint64 {
	oldest := uint64(math.MaxUint64)
	for _, run := range j.Runs {
		if run.HasVerdicts {
			oldest = min(oldest, j.First(run))
		}
	}
	return oldest
}

// Keep drops the verdicts of all but the newest runs. What the runs were stays known. A file that
// cannot be removed is left to the next call.
func (j *Journal) Keep(newest int) {
	for i := range max(0, len(j.Runs)-newest) {
		if run := &j.Runs[i]; run.HasVerdicts {
			if run.Recorded {
				if run.Recorded = false; j.note(*run) != nil { // else they would be missed
					run.Recorded = true
					continue
				}
			}
			run.HasVerdicts = j.dir.Remove(fileName(run.Number, verdictsSuffix)) != nil
			_ = j.dir.Remove(fileName(run.Number, piecesSuffix))
		}
	}
}

// Rewritten notes that the outputs of a run were written once more: the files that are called like
// these are others now.
func (j *Journal) Rewritten(number uint64, outputs []Output) error {
	for i := range j.Runs {
		run := &j.Runs[i]
		if run.Number != number {
			continue
		}
		changed := false
		for n, old := range run.Outputs {
			for _, now := range outputs {
				if old.Path == now.Path && old != now {
					run.Outputs[n], changed = now, true
				}
			}
		}
		if changed {
			return j.note(*run)
		}
	}
	return nil
}

// Deletion makes it durable that a run had the index forget so many records, which are named in an
// input. It counts when the index is committed.
func (j *Journal) Deletion(number uint64, input string, records uint64) error {
	if err := j.make(); err != nil {
		return err
	}
	for _, suffix := range []string{verdictsSuffix, piecesSuffix} { // of a run that was taken back
		if err := j.dir.Remove(fileName(number, suffix)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return j.note(Run{
		Number: number, Ended: time.Now().UTC().Truncate(time.Second), Input: input, Inputs: 1, Deleted: records,
	})
}

// make makes the directory, if there is none.
func (j *Journal) make() (err error) {
	if err := j.index.Make(Name); err != nil || j.dir != nil {
		return err
	}
	j.dir, err = j.index.Sub(Name)
	return err
}

// note makes the description of a run durable.
func (j *Journal) note(run Run) error {
	text, err := json.Marshal(run)
	if err != nil {
		return err
	}
	name := fileName(run.Number, metaSuffix)
	f, err := j.dir.Create(name + ".new")
	if err != nil {
		return err
	}
	_, err = f.WriteString(string(text) + "\n" + sumOf(string(text)))
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := j.dir.Rename(name+".new", name); err != nil {
		return err
	}
	return j.dir.Sync()
}

// sumOf is the second line of a description: the checksum of the first.
func sumOf(line string) string { return fmt.Sprintf("%016x\n", xxh3.HashString(line)) }
