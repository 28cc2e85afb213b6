// Package journal remembers the runs that an index has taken in: which input each of them read, and
// what was decided about every record. So the same command may be given again after a run that is
// complete, by a scheduler that lost its exit code, and yields the same output (I7), where asking
// the index would find nothing but duplicates.
//
// A journal is a directory of files for each run, all written before the index is committed: N.json
// says what the run was, N.verdicts has a bit for each record, and N.pieces, if pieces of records
// were cut or masked, a bit for each of these. A run counts if the index says that it was
// committed; later files are what a crash has left. docs/format.md defines them.
package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/internal/fsync"
	"github.com/mithril-stream/mithril-stream/internal/private"
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

	HasVerdicts bool `json:"-"` // they are still kept
}

// ErrDamaged says that a file of the journal is not as it was written.
var ErrDamaged = errors.New("damaged journal of runs")

// A Journal is the runs of one index. It is not safe for concurrent use; the index's lock guards
// it.
type Journal struct {
	dir  string
	Runs []Run // that count, the first one first

	syncNames func(dir string) error // makes the names in a directory durable: fsync.Dir
}

// Open reads what the directory has of the runs up to the one with the number committed, which is 0
// if there is none. A directory that is missing holds nothing.
func Open(dir string, committed uint64) (*Journal, error) {
	j := &Journal{dir: dir, syncNames: fsync.Dir}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, entry := range entries {
		digits, ok := strings.CutSuffix(entry.Name(), metaSuffix)
		number, err := strconv.ParseUint(digits, 10, 64)
		if !ok || err != nil || number == 0 || number > committed || entry.Name() != fileName(number, metaSuffix) {
			continue
		}
		run, err := j.read(number)
		if err != nil {
			return nil, err
		}
		j.Runs = append(j.Runs, run)
	}
	return j, nil
}

const (
	metaSuffix     = ".json"
	verdictsSuffix = ".verdicts"
	maxMeta        = 64 << 20
)

func fileName(number uint64, suffix string) string { return fmt.Sprintf("%08d%s", number, suffix) }

func (j *Journal) path(number uint64, suffix string) string {
	return filepath.Join(j.dir, fileName(number, suffix))
}

func (j *Journal) read(number uint64) (run Run, err error) {
	path := j.path(number, metaSuffix)
	info, err := os.Stat(path)
	if err != nil {
		return run, err
	}
	if info.Size() > maxMeta {
		return run, fmt.Errorf("%s: %w: it has %d bytes", path, ErrDamaged, info.Size())
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return run, err
	}
	line, sum, _ := strings.Cut(string(text), "\n")
	if sum != sumOf(line) || json.Unmarshal([]byte(line), &run) != nil || run.Number != number {
		return run, fmt.Errorf("%s: %w: it does not describe run %d", path, ErrDamaged, number)
	}
	_, err = os.Stat(j.path(number, verdictsSuffix))
	if run.HasVerdicts = err == nil; errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return run, err
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
		f, err := openChecked(j.path(run.Number, piecesSuffix), run.PiecesHash)
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
			run.HasVerdicts = os.Remove(j.path(run.Number, verdictsSuffix)) != nil
			os.Remove(j.path(run.Number, piecesSuffix))
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
		if err := os.Remove(j.path(number, suffix)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return j.note(Run{
		Number: number, Ended: time.Now().UTC().Truncate(time.Second), Input: input, Inputs: 1, Deleted: records,
	})
}

// make makes the directory. The index is there: if its own directory is gone, it has been moved,
// and no second one is made.
func (j *Journal) make() error {
	if err := os.Mkdir(j.dir, private.Subdirectory(j.dir)); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return j.syncNames(filepath.Dir(j.dir))
}

// note makes the description of a run durable.
func (j *Journal) note(run Run) error {
	text, err := json.Marshal(run)
	if err != nil {
		return err
	}
	path := j.path(run.Number, metaSuffix)
	f, err := private.Create(path + ".new")
	if err != nil {
		return err
	}
	_, err = f.WriteString(string(text) + "\n" + sumOf(string(text)))
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(path+".new", path); err != nil {
		return err
	}
	return j.syncNames(j.dir)
}

// sumOf is the second line of a description: the checksum of the first.
func sumOf(line string) string { return fmt.Sprintf("%016x\n", xxh3.HashString(line)) }
