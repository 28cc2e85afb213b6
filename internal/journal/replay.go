package journal

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A Replayer repeats the verdicts of an earlier run. It checks that the records are the same.
type Replayer struct {
	run    Run
	file   *index.File
	src    *bufio.Reader
	pieces *pieceReplayer // nil if pieces were not recorded
	group  []byte         // the current group of the recorded run
	met    group          // the records met so far
	seen   uint64
}

// ErrOtherInput is returned if an input starts like that of an earlier run but then differs.
var ErrOtherInput = errors.New("the input is not the one of that run")

// Replay returns a Replayer of a run, after checking the run's files. If the run recorded pieces,
// they are passed to told, which may be the zero value.
func (j *Journal) Replay(run Run, told Pieces) (*Replayer, error) {
	f, err := openChecked(j.dir, fileName(run.Number, verdictsSuffix), run.Hash)
	if err != nil {
		return nil, err
	}
	r := &Replayer{run: run, file: f, src: bufio.NewReader(f), group: make([]byte, run.sizeOfGroup())}
	info, err := f.Stat()
	groups := (run.Records + groupRecords - 1) / groupRecords
	switch {
	case err != nil:
	case uint64(info.Size()) != groups*uint64(run.sizeOfGroup()):
		err = fmt.Errorf("%s: %w: it has %d bytes for %d records", f.Name(), ErrDamaged, info.Size(), run.Records)
	case run.Pieces != "" && told.Repeat != nil:
		r.pieces, err = replayPieces(j.dir, fileName(run.Number, piecesSuffix), told, run.PiecesHash)
	}
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// Judge returns the judge that repeats the verdicts of the run. If the input differs, up to 64 of
// its records may get verdicts of the run before an error is returned.
func (r *Replayer) Judge() stream.Judge {
	return stream.Judge{Decide: r.decide, ReadsHashes: r.run.Hashes}
}

func (r *Replayer) decide(b stream.Batch, out []stream.Verdict) (judged int, err error) {
	judged, err = r.repeat(b, out)
	if r.pieces == nil {
		return judged, err
	}
	// Pieces are known for all records of a batch or for none.
	if err == nil {
		err = r.pieces.repeat(b)
	}
	if err != nil {
		return 0, err
	}
	return judged, nil
}

func (r *Replayer) repeat(b stream.Batch, out []stream.Verdict) (judged int, err error) {
	for i := range out {
		if r.seen == r.run.Records {
			return i, fmt.Errorf("%w: it has more records than the %d of that run", ErrOtherInput, r.run.Records)
		}
		if len(r.met.Votes) == 0 {
			if _, err := io.ReadFull(r.src, r.group); err != nil {
				return i, fmt.Errorf("read the verdicts of run %d: %w", r.run.Number, err)
			}
		}
		out[i] = r.verdict(len(r.met.Votes))
		r.met.add(b, i, out[i], r.run.Details)
		r.seen++
		if len(r.met.Votes) < groupRecords && r.seen < r.run.Records {
			continue
		}
		if uint32(r.met.Hash) != binary.LittleEndian.Uint32(r.group[8:]) {
			return i + 1, fmt.Errorf("%w: it differs within the last %d records", ErrOtherInput, len(r.met.Votes))
		}
		r.met.next()
	}
	return len(out), nil
}

// lastRecord compares the last record of a run with the one now in its place.
type lastRecord int

const (
	lastOther      lastRecord = iota // a different record
	lastSame                         // the same record
	lastUnreadable                   // a record that could not be read
)

// last returns the verdict on the last record of the run, and how that record compares with record
// i of a batch.
func (r *Replayer) last(b stream.Batch, i int) (v stream.Verdict, was lastRecord, err error) {
	if len(r.met.Votes) == 0 {
		if _, err := io.ReadFull(r.src, r.group); err != nil {
			return v, was, fmt.Errorf("read the verdicts of run %d: %w", r.run.Number, err)
		}
	}
	v = r.verdict(len(r.met.Votes))
	hash, before := binary.LittleEndian.Uint32(r.group[8:]), r.met.Hash
	for _, name := range record.ProblemNames() {
		problem, _ := record.ProblemNamed(name)
		if uint32(chainProblem(before, problem)) == hash {
			was = lastUnreadable
		}
	}
	r.met.add(b, i, v, r.run.Details)
	r.seen++
	if uint32(r.met.Hash) == hash {
		was = lastSame
	}
	return v, was, nil
}

// verdict returns the verdict on record i of the group.
func (r *Replayer) verdict(i int) (v stream.Verdict) {
	v.Duplicate = binary.LittleEndian.Uint64(r.group)>>i&1 == 1
	rest := r.group[groupSize:]
	if r.run.Votes {
		v.Votes = binary.LittleEndian.Uint16(rest[2*i:])
		rest = rest[votesSize:]
	}
	if r.run.Originals {
		v.Original = binary.LittleEndian.Uint64(rest[originalSize*i:])
		v.Similarity = math.Float32frombits(binary.LittleEndian.Uint32(rest[originalSize*i+8:]))
		if v.Contains = math.Signbit(float64(v.Similarity)); v.Contains {
			v.Similarity = -v.Similarity
		}
	}
	return v
}

// End must be called at the end of the input. It returns an error if the run had more records.
func (r *Replayer) End() error {
	if r.seen < r.run.Records {
		return fmt.Errorf("%w: it ends after %d of %d records", ErrOtherInput, r.seen, r.run.Records)
	}
	return nil
}

// Close closes the files of the run.
func (r *Replayer) Close() error { return errors.Join(r.file.Close(), r.pieces.close()) }
