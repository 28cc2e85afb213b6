package journal

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A pieceTeller is a judge of records whose pieces were seen or not according to a list. The first
// word of a sketch is the number of pieces.
type pieceTeller struct {
	teller
	pieces [][]bool // of each record
	batch  int      // the first record of the last batch
	judge  [][]bool // what Repeat was told
}

func (t *pieceTeller) verdictsOf() Verdicts {
	return Verdicts{Judge: stream.Judge{Decide: t.decide}, Pieces: t.asked()}
}

// asked returns the Pieces of the judge.
func (t *pieceTeller) asked() Pieces { return Pieces{AppendSeen: t.AppendSeen, Repeat: t.Repeat} }

func (t *pieceTeller) decide(b stream.Batch, out []stream.Verdict) (int, error) {
	t.batch = t.at
	return t.teller.decide(b, out)
}

func (t *pieceTeller) AppendSeen(dst []bool, _ stream.Batch, record int) []bool {
	return append(dst, t.pieces[t.batch+record]...)
}

func (t *pieceTeller) Repeat(b stream.Batch, next func() (bool, error)) error {
	for i := range b.Len() {
		var own []bool
		if sketch := b.Sketch(i); len(sketch) > 0 {
			for range sketch[0] {
				seen, err := next()
				if err != nil {
					return err
				}
				own = append(own, seen)
			}
		}
		t.judge = append(t.judge, own)
	}
	return nil
}

// drawPieces gives each record of a script some pieces.
func drawPieces(t *rapid.T, s *script) (pieces [][]bool) {
	for _, b := range s.batches {
		for i := range b.Len() {
			var own []bool
			if sketch := b.Sketch(i); len(sketch) > 0 {
				own = rapid.SliceOfN(rapid.Bool(), 0, 20).Draw(t, "pieces")
				sketch[0] = uint64(len(own))
			}
			pieces = append(pieces, own)
		}
	}
	return pieces
}

func TestPiecesAreRepeated(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir := t.TempDir()
		s := draw(rt)
		pieces := drawPieces(rt, s)
		from := func(at int) *pieceTeller { return &pieceTeller{teller: teller{s, at}, pieces: pieces} }
		j, err := Open(dir, 0)
		must(rt, err)
		r, err := j.Record(from(0).verdictsOf(), 1, 0, Details{Pieces: "cut"})
		must(rt, err)
		stop := rapid.IntRange(0, len(s.batches)).Draw(rt, "checkpoint after")
		judged := len(judgeAll(rt, r.Judge(), s.batches[:stop]))
		state, err := r.checkpoint()
		must(rt, err)
		judgeAll(rt, r.Judge(), s.batches[stop:]) // what follows the checkpoint is lost
		must(rt, errors.Join(r.flush(), r.pieces.flush(), r.Close()))
		r, err = j.Resume(from(judged).verdictsOf(), state)
		must(rt, err)
		judgeAll(rt, r.Judge(), s.batches[stop:])
		must(rt, r.complete(Run{Source: Source{Reading: "w", Files: []string{"x"}}, Records: uint64(s.records())}))
		must(rt, r.Close())

		j, err = Open(dir, 1)
		must(rt, err)
		must(rt, j.Verify())
		told := &pieceTeller{}
		again, err := j.Replay(j.Runs[0], told.asked())
		must(rt, err)
		judgeAll(rt, again.Judge(), s.batches)
		must(rt, errors.Join(again.End(), again.Close()))
		if !slices.EqualFunc(told.judge, pieces, slices.Equal) {
			rt.Fatalf("told %v, want %v", told.judge, pieces)
		}
		damagePieces(rt, j, filepath.Join(dir, Name, "00000001.pieces"))
	})
}

// damagePieces changes or truncates the file of pieces, which must be noticed.
func damagePieces(t *rapid.T, j *Journal, name string) {
	data, err := os.ReadFile(name)
	must(t, err)
	if len(data) == 0 {
		return
	}
	at := rapid.IntRange(0, len(data)-1).Draw(t, "at")
	if rapid.Bool().Draw(t, "torn") {
		data = data[:at]
	} else {
		data[at] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
	}
	must(t, os.WriteFile(name, data, 0o666))
	if _, err := j.Replay(j.Runs[0], (&pieceTeller{}).asked()); !errors.Is(err, ErrDamaged) {
		t.Fatalf("replay of damage: %v", err)
	}
	if err := j.Verify(); !errors.Is(err, ErrDamaged) {
		t.Fatalf("verify of damage: %v", err)
	}
}

// TestMorePiecesAreAnotherInput checks that no record of a batch counts as judged unless all its
// pieces are known.
func TestMorePiecesAreAnotherInput(t *testing.T) {
	j, err := Open(t.TempDir(), 0)
	if err != nil {
		t.Fatal(err)
	}
	b := stream.Batch{Words: []uint64{3}, Ends: []int{1}, Problems: make([]record.Problem, 1),
		Hashes: []uint64{5}}
	s := &script{verdicts: make([]stream.Verdict, 1)}
	judge := &pieceTeller{teller: teller{s, 0}, pieces: [][]bool{{true, false, true}}}
	r, err := j.Record(judge.verdictsOf(), 1, 0, Details{Pieces: "cut"})
	if err != nil {
		t.Fatal(err)
	}
	out := make([]stream.Verdict, 1)
	if _, err := r.Judge().Decide(b, out); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(r.complete(Run{Records: 1}), r.Close()); err != nil {
		t.Fatal(err)
	}
	again, err := j.Replay(j.Runs[0], (&pieceTeller{}).asked())
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	b.Words[0] = 30
	if n, err := again.Judge().Decide(b, out); n != 0 || !errors.Is(err, ErrOtherInput) {
		t.Errorf("%d judged, %v", n, err)
	}
}
