package journal

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"
	"unsafe"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/jsonout"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/stream"
)

// Verdicts are stored in groups: a bit for each record, 1 for a duplicate, and a hash that ties
// them to the sketches of the records. If votes are kept, 16 bits for each record follow; if
// originals are kept, 64 bits for the number and 32 for the similarity of each.
const (
	groupRecords  = 64
	groupSize     = 8 + 4
	votesSize     = 2 * groupRecords
	originalSize  = 8 + 4
	originalsSize = originalSize * groupRecords
)

// Details says what is recorded besides whether each record is a duplicate.
type Details struct {
	Votes     bool `json:"votes,omitempty"`
	Originals bool `json:"originals,omitempty"` // with similarities

	// Pieces says what was done with seen pieces. If it is not empty, pieces are recorded.
	Pieces string `json:"pieces,omitempty"`

	// AsideStay means that records that refer to others did not follow them (stream.Options), so
	// they must not follow them in a repeated run either.
	AsideStay bool `json:"aside_stay,omitempty"`

	// Hashes means that sketches are hashed one by one (stream.Judge.ReadsHashes), and is set by
	// Record. Older programs needed the sketches of all records.
	Hashes bool `json:"hashes,omitempty"`
}

func (d Details) sizeOfGroup() int64 {
	size := int64(groupSize)
	if d.Votes {
		size += votesSize
	}
	if d.Originals {
		size += originalsSize
	}
	return size
}

// A group holds the verdicts of consecutive records.
type group struct {
	Bits  uint64   `json:"bits"`
	Hash  uint64   `json:"hash"`  // of the sketches of all records of the run so far
	Votes []uint16 `json:"votes"` // of each record

	Originals []original `json:"originals,omitempty"` // of each record, if they are kept
}

// An original is the record that a duplicate resembles. The similarity is negative if the duplicate
// contains the original, as with stream.Verdict.Contains.
type original struct {
	Record     uint64  `json:"record"`
	Similarity float32 `json:"similarity"`
}

// add adds record i of a batch to the group.
func (g *group) add(b stream.Batch, i int, v stream.Verdict, kept Details) {
	g.Hash = kept.chain(g.Hash, b, i)
	if v.Duplicate {
		g.Bits |= 1 << len(g.Votes)
	}
	g.Votes = append(g.Votes, v.Votes)
	if kept.Originals {
		o := original{v.Original, v.Similarity}
		if v.Contains {
			o.Similarity = -o.Similarity
		}
		g.Originals = append(g.Originals, o)
	}
}

// next starts the next group.
func (g *group) next() { g.Bits, g.Votes, g.Originals = 0, g.Votes[:0], g.Originals[:0] }

// chain returns the hash of the records so far with record i of a batch.
func (d Details) chain(before uint64, b stream.Batch, i int) uint64 {
	words := b.Sketch(i)
	switch {
	case !d.Hashes || !b.Problems[i].IsReadable():
	case b.Hashes != nil:
		words = b.Hashes[i : i+1]
	case len(words) > 0: // as the workers of a stream hash it
		words = []uint64{xxh3.Hash(bytesOf(words))}
	}
	if len(words) == 0 {
		return chainProblem(before, b.Problems[i])
	}
	return xxh3.HashSeed(bytesOf(words), before)
}

// bytesOf returns the memory of words as bytes. There must be at least one word.
func bytesOf(words []uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 8*len(words))
}

// chainProblem is chain for a record that has no sketch.
func chainProblem(before uint64, p record.Problem) uint64 {
	return xxh3.HashStringSeed(p.WithoutCutOff().Name(), before)
}

func (g *group) append(dst []byte, kept Details) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, g.Bits)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(g.Hash))
	if kept.Votes {
		for _, v := range g.Votes {
			dst = binary.LittleEndian.AppendUint16(dst, v)
		}
		dst = append(dst, make([]byte, votesSize-2*len(g.Votes))...)
	}
	if kept.Originals {
		for _, o := range g.Originals {
			dst = binary.LittleEndian.AppendUint64(dst, o.Record)
			dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(o.Similarity))
		}
		dst = append(dst, make([]byte, originalsSize-originalSize*len(g.Originals))...)
	}
	return dst
}

// A State is the state of a Recorder at a checkpoint, stored as the journal's state in a commit.
type State struct {
	Number uint64 `json:"run"`
	Details
	Groups int64 `json:"groups"` // complete groups in the file
	Open   group `json:"open"`   // the incomplete group

	OfPieces pieceState `json:"of_pieces,omitzero"`

	Extends uint64 `json:"extends,omitempty"` // as in Run
}

// A Verdicts is a judge whose verdicts are recorded, along with its functions for pieces.
type Verdicts struct {
	stream.Judge
	Pieces // zero unless Details.Pieces asks for them
}

// A Recorder records the verdicts of a judge.
type Recorder struct {
	judge  stream.Judge
	of     *Journal
	file   *index.File
	pieces *pieceRecorder // nil if pieces are not recorded
	state  State
	buf    []byte // groups not yet written
	named  bool   // the names of the files are durable
	ended  *Run   // description of the run once it is complete; nil before
	err    error
}

// Record starts recording the run with the given number, which must be one more than that of the
// last committed run. extends is the number of the run that this one continues, because its input
// begins with that run's input, or 0.
func (j *Journal) Record(of Verdicts, number, extends uint64, kept Details) (*Recorder, error) {
	if err := j.make(); err != nil {
		return nil, err
	}
	kept.Hashes = true
	return j.Resume(of, State{Number: number, Extends: extends, Details: kept})
}

// Unfinished returns the record of the run that a commit of an index was made in the middle of, or
// nil if there is none.
func Unfinished(c *index.Commit) (*State, error) {
	text := c.State(Name)
	if len(text) == 0 {
		return nil, nil
	}
	var s State
	err := json.Unmarshal(text, &s)
	if err == nil && !s.canBe() {
		err = errors.New("a state that cannot be")
	}
	if err != nil {
		return nil, fmt.Errorf("the record of its last run: %w: %w", ErrDamaged, err)
	}
	return &s, nil
}

// canBe reports whether a Recorder can have been in this state.
func (s *State) canBe() bool {
	const mostGroups = math.MaxInt64 / (groupSize + votesSize + originalsSize)
	open := len(s.Open.Votes)
	return s.Number > 0 && s.Groups >= 0 && s.Groups <= mostGroups && open < groupRecords &&
		(len(s.Open.Originals) == open && s.Originals || len(s.Open.Originals) == 0 && !s.Originals) &&
		s.OfPieces.Bytes >= 0 && s.OfPieces.Bits >= 0 && s.OfPieces.Bits < 8
}

// Resume continues recording from the State of a commit.
func (j *Journal) Resume(of Verdicts, from State) (*Recorder, error) {
	if j.dir == nil {
		return nil, j.missing(Name)
	}
	f, err := openAt(j.dir, fileName(from.Number, verdictsSuffix), from.Groups*from.sizeOfGroup())
	if err != nil {
		return nil, err
	}
	r := &Recorder{judge: of.Judge, of: j, file: f, state: from}
	j.due = r.commit
	if from.Pieces != "" {
		name := fileName(from.Number, piecesSuffix)
		if r.pieces, err = recordPieces(j.dir, name, of.Pieces, from.OfPieces); err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
	return r, nil
}

// Judge returns the judge whose verdicts are recorded as it gives them.
func (r *Recorder) Judge() stream.Judge {
	judge := r.judge
	judge.Decide, judge.ReadsHashes = r.decide, true
	return judge
}

func (r *Recorder) decide(b stream.Batch, out []stream.Verdict) (judged int, err error) {
	judged, err = r.judge.Decide(b, out)
	for i := range judged {
		r.state.Open.add(b, i, out[i], r.state.Details)
		if len(r.state.Open.Votes) == groupRecords {
			r.buf = r.state.Open.append(r.buf, r.state.Details)
			r.state.Open.next()
			r.state.Groups++
		}
	}
	if len(r.buf) >= 64<<10 {
		err = errors.Join(err, r.flush())
	}
	if r.pieces != nil {
		err = errors.Join(err, r.pieces.add(b, judged))
	}
	return judged, err
}

func (r *Recorder) flush() error {
	if r.err == nil {
		if _, r.err = r.file.Write(r.buf); r.err != nil {
			r.err = fmt.Errorf("write the verdicts of the run: %w", r.err)
		}
		r.buf = r.buf[:0]
	}
	return r.err
}

// checkpoint makes what is recorded so far durable, so that Resume can continue from there: the
// contents of the files and, the first time, their names.
func (r *Recorder) checkpoint() (State, error) {
	state := r.state
	state.Open.Votes = slices.Clone(state.Open.Votes)
	state.Open.Originals = slices.Clone(state.Open.Originals)
	err := errors.Join(r.flush(), r.file.Sync(), r.pieces.sync())
	if err == nil && !r.named {
		err = r.of.dir.Sync()
		r.named = err == nil
	}
	if r.pieces != nil {
		state.OfPieces = r.pieces.state
	}
	return state, err
}

// End makes the next commit complete the run's record, which then counts.
func (r *Recorder) End(run Run) { r.ended = &run }

// commit makes durable what the next commit of the index will say about the run.
func (r *Recorder) commit() (state []byte, err error) {
	if r.ended != nil {
		return nil, r.complete(*r.ended)
	}
	s, err := r.checkpoint()
	if err != nil {
		return nil, err
	}
	return jsonout.Marshal(s)
}

// complete makes the whole record of a run durable.
func (r *Recorder) complete(run Run) error {
	if len(r.state.Open.Votes) > 0 {
		r.buf = r.state.Open.append(r.buf, r.state.Details)
	}
	if _, err := r.checkpoint(); err != nil {
		return err
	}
	var err error
	if run.Hash, err = hashOf(r.file); err != nil {
		return err
	}
	if run.PiecesHash, err = r.pieces.complete(); err != nil {
		return err
	}
	run.Recorded = true
	run.Number, run.Extends, run.Details = r.state.Number, r.state.Extends, r.state.Details
	run.Ended = time.Now().UTC().Truncate(time.Second)
	if err := r.of.note(run); err != nil {
		return err
	}
	run.HasVerdicts = true
	r.of.Runs, r.of.due = append(r.of.Runs, run), nil
	return nil
}

// Close stops recording. A record that is not complete, or not committed, does not count.
func (r *Recorder) Close() error { return errors.Join(r.file.Close(), r.pieces.close()) }

// hashOf hashes a file from its beginning.
func hashOf(f *index.File) (string, error) {
	h := xxh3.New()
	if _, err := io.Copy(h, io.NewSectionReader(f, 0, 1<<62)); err != nil {
		return "", err
	}
	return fmt.Sprintf("%016x", h.Sum64()), nil
}
