package journal

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/mithril-stream/mithril-stream/internal/fixedseed"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A script is the records of a run and the verdicts on them.
type script struct {
	batches  []stream.Batch
	verdicts []stream.Verdict
}

// withHashes adds hashes of their sketches to batches.
func withHashes(batches []stream.Batch) []stream.Batch {
	batches = slices.Clone(batches)
	for n := range batches {
		b := &batches[n]
		b.Hashes = nil
		for i := range b.Len() {
			hash := uint64(0)
			for _, word := range b.Sketch(i) {
				hash = hash*31 + word
			}
			b.Hashes = append(b.Hashes, hash)
		}
	}
	return batches
}

// draw returns a script with some batches of sketches and problems.
func draw(t *rapid.T) *script {
	s := &script{}
	for range rapid.IntRange(1, 8).Draw(t, "batches") {
		var b stream.Batch
		for range rapid.IntRange(0, 90).Draw(t, "records") {
			p := record.Problem{}
			if rapid.IntRange(0, 9).Draw(t, "problem") == 0 {
				p = record.NoText
			} else {
				b.Words = append(b.Words, rapid.Uint64().Draw(t, "word"), 7)
			}
			b.Ends, b.Problems = append(b.Ends, len(b.Words)), append(b.Problems, p)
			v := stream.Verdict{Duplicate: rapid.Bool().Draw(t, "duplicate")}
			if v.Duplicate {
				v.Votes = rapid.Uint16().Draw(t, "votes")
				v.Original = rapid.Uint64().Draw(t, "original")
				v.Similarity = rapid.Float32Range(0, 1).Draw(t, "similarity")
				v.Contains = rapid.Bool().Draw(t, "contains")
			}
			s.verdicts = append(s.verdicts, v)
		}
		s.batches = append(s.batches, b)
	}
	return s
}

func drawDetails(t *rapid.T) Details {
	return Details{Votes: rapid.Bool().Draw(t, "votes"), Originals: rapid.Bool().Draw(t, "originals")}
}

func (s *script) records() int { return len(s.verdicts) }

func (s *script) duplicates() (n int) {
	for _, v := range s.verdicts {
		if v.Duplicate {
			n++
		}
	}
	return n
}

// A teller is a judge that returns the verdicts of a script, from a given record on.
type teller struct {
	*script
	at int
}

func (t *teller) judge() stream.Judge { return stream.Judge{Decide: t.decide} }

func (t *teller) verdictsOf() Verdicts { return Verdicts{Judge: t.judge()} }

func (t *teller) decide(_ stream.Batch, out []stream.Verdict) (int, error) {
	t.at += copy(out, t.verdicts[t.at:])
	return len(out), nil
}

func judgeAll(t *rapid.T, judge stream.Judge, batches []stream.Batch) (all []stream.Verdict) {
	for _, b := range withHashes(batches) {
		out := make([]stream.Verdict, b.Len())
		if n, err := judge.Decide(b, out); err != nil || n != len(out) {
			t.Fatal(n, err)
		}
		all = append(all, out...)
	}
	return all
}

func must(t *rapid.T, err error) {
	if err != nil {
		t.Fatal(err)
	}
}

// committed returns the state to resume from after a commit, or nil if there is none.
func committed(t *rapid.T, j *Journal) *State {
	text, err := j.State()
	must(t, err)
	if len(text) == 0 {
		return nil
	}
	var s State
	must(t, json.Unmarshal(text, &s))
	if !s.canBe() {
		t.Fatalf("%s is taken for damaged", text)
	}
	return &s
}

// recorded records a run, which may be interrupted at a checkpoint after some batches.
func recorded(t *rapid.T, dir string, s *script, kept Details) (*Journal, Run) {
	j, err := Open(dir, 0)
	must(t, err)
	r, err := j.Record((&teller{script: s}).verdictsOf(), 1, 0, kept)
	must(t, err)
	stop := rapid.IntRange(0, len(s.batches)).Draw(t, "checkpoint after")
	judged := len(judgeAll(t, r.Judge(), s.batches[:stop]))
	state := committed(t, j)
	if rapid.Bool().Draw(t, "interrupted") {
		judgeAll(t, r.Judge(), s.batches[stop:]) // what follows the checkpoint is lost
		must(t, errors.Join(r.flush(), r.Close()))
		r, err = j.Resume((&teller{script: s, at: judged}).verdictsOf(), *state)
		must(t, err)
	}
	judgeAll(t, r.Judge(), s.batches[stop:])
	r.End(Run{Source: Source{Reading: "w", Files: []string{"x"}}, Records: uint64(s.records()),
		Kept: uint64(s.records() - s.duplicates())})
	for range 2 { // also if another commit follows
		if committed(t, j) != nil {
			t.Fatal("a run that is complete is to be resumed")
		}
	}
	must(t, r.Close())
	if again, err := Open(dir, 0); err != nil || len(again.Runs) != 0 {
		t.Fatalf("a run that is not committed counts: %v, %v", again, err)
	}
	j, err = Open(dir, 1)
	must(t, err)
	same := j.SameFiles(Source{Reading: "w", Files: []string{"x"}}, false)
	if len(same) != 1 {
		t.Fatalf("%d runs have read these files", len(same))
	}
	run := same[0]
	if !run.HasVerdicts || run.Records != uint64(s.records()) {
		t.Fatalf("%+v", run)
	}
	return j, *run
}

func TestVerdictsAreRepeated(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s, kept := draw(rt), drawDetails(rt)
		j, run := recorded(rt, t.TempDir(), s, kept)
		r, err := j.Replay(run, Pieces{})
		must(rt, err)
		defer r.Close()
		got := judgeAll(rt, r.Judge(), s.batches)
		for i, want := range s.verdicts {
			if !kept.Votes {
				want.Votes = 0
			}
			if !kept.Originals {
				want.Original, want.Similarity, want.Contains = 0, 0, false
			}
			if got[i] != want {
				rt.Fatalf("record %d: %+v, want %+v", i, got[i], want)
			}
		}
		must(rt, r.End())
	})
}

// TestAnotherInputIsNoticed changes a record, omits records at the end, or adds one.
func TestAnotherInputIsNoticed(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := draw(rt)
		j, run := recorded(rt, t.TempDir(), s, Details{})
		if s.records() == 0 {
			return
		}
		other := stream.Batch{}
		for _, b := range s.batches { // all at once
			for i := range b.Len() {
				other.Words = append(other.Words, b.Sketch(i)...)
				other.Ends, other.Problems = append(other.Ends, len(other.Words)), append(other.Problems, b.Problems[i])
			}
		}
		changed := rapid.IntRange(0, s.records()-1).Draw(rt, "record")
		switch rapid.IntRange(0, 2).Draw(rt, "how") {
		case 0:
			other.Ends, other.Problems = other.Ends[:changed], other.Problems[:changed]
		case 1:
			other.Ends = append(other.Ends, len(other.Words))
			other.Problems = append(other.Problems, record.NoText)
		default:
			if len(other.Sketch(changed)) == 0 {
				return
			}
			other.Words = slices.Clone(other.Words)
			other.Words[other.Ends[changed]-2]++
		}
		r, err := j.Replay(run, Pieces{})
		must(rt, err)
		defer r.Close()
		other = withHashes([]stream.Batch{other})[0]
		_, err = r.Judge().Decide(other, make([]stream.Verdict, other.Len()))
		if err = errors.Join(err, r.End()); !errors.Is(err, ErrOtherInput) {
			rt.Fatalf("%v", err)
		}
	})
}

func TestOnlyTheNewestVerdictsAreKept(t *testing.T) {
	dir := t.TempDir()
	j, err := Open(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	for n := range uint64(4) {
		r, err := j.Record((&teller{script: &script{}}).verdictsOf(), n+1, 0, Details{})
		if err != nil {
			t.Fatal(err)
		}
		run := Run{Source: Source{Reading: "w", Files: []string{"x"}}}
		if err := errors.Join(r.complete(run), r.Close()); err != nil {
			t.Fatal(err)
		}
	}
	j.Keep(2)
	if j, err = Open(dir, 4); err != nil || len(j.Runs) != 4 {
		t.Fatal(j, err)
	}
	for i, run := range j.Runs {
		if run.HasVerdicts != (i >= 2) {
			t.Errorf("run %d has verdicts: %t", run.Number, run.HasVerdicts)
		}
	}
}

func TestDamageIsNamed(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir := t.TempDir()
		s := draw(rt)
		j, run := recorded(rt, dir, s, drawDetails(rt))
		name := rapid.SampledFrom([]string{"00000001.verdicts", "00000001.json"}).Draw(rt, "file")
		name = filepath.Join(dir, Name, name)
		data, err := os.ReadFile(name)
		must(rt, err)
		if len(data) == 0 {
			return
		}
		at := rapid.IntRange(0, len(data)-1).Draw(rt, "at")
		if rapid.Bool().Draw(rt, "torn") {
			data = data[:at]
		} else {
			data[at] ^= 1 << rapid.IntRange(0, 7).Draw(rt, "bit")
		}
		must(rt, os.WriteFile(name, data, 0o666))
		_, opening := Open(dir, 1)
		_, replaying := j.Replay(run, Pieces{})
		if !errors.Is(errors.Join(opening, replaying), ErrDamaged) {
			rt.Fatalf("%s, byte %d of %d: %v, %v", name, at, len(data), opening, replaying)
		}
	})
}

// TestRecordStaysInTheIndex checks that an index that was moved away while open is not recreated,
// and that another one in its place is left alone.
func TestRecordStaysInTheIndex(t *testing.T) {
	for _, replaced := range []bool{false, true} {
		parent := t.TempDir()
		dir, moved := filepath.Join(parent, "index"), filepath.Join(parent, "moved")
		err := os.Mkdir(dir, 0o700)
		if err != nil {
			t.Fatal(err)
		}
		j, err := Open(dir, 0)
		if err == nil {
			err = os.Rename(dir, moved)
		}
		if err == nil && replaced {
			err = os.Mkdir(dir, 0o700)
		}
		if err != nil {
			t.Fatal(err)
		}
		r, err := j.Record((&teller{script: &script{}}).verdictsOf(), 1, 0, Details{})
		if err == nil {
			err = errors.Join(r.complete(Run{}), r.Close(), j.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		if files, _ := os.ReadDir(filepath.Join(moved, Name)); len(files) != 2 {
			t.Errorf("the moved index has %v", files)
		}
		if files, err := os.ReadDir(dir); len(files) > 0 || !replaced && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("where the index was there is now %v, %v", files, err)
		}
	}
}

// TestBrokenRunIsNotTheSame checks that a run that could not read all of its input is not treated
// as having read it, since more may be readable now.
func TestBrokenRunIsNotTheSame(t *testing.T) {
	files := Source{Reading: "w", Files: []string{"x"}}
	broken := files
	broken.Broken = true
	j := &Journal{Runs: []Run{{Number: 1, Source: files}, {Number: 2, Source: broken}}}
	if runs := j.SameFiles(files, false); len(runs) != 1 || runs[0].Number != 1 {
		t.Errorf("%+v, not the run that has read all", runs)
	}
	if runs := j.SameFiles(files, true); len(runs) != 2 || runs[0].Number != 1 || runs[1].Number != 2 {
		t.Errorf("%+v, not both runs", runs)
	}
}

// TestSameFilesBySameBytes checks that a run that read the same bytes from elsewhere is recognised.
func TestSameFilesBySameBytes(t *testing.T) {
	h := NewHasher("\n")
	io.WriteString(h, "a record\n")
	bytes, other := h.Content(), NewHasher("\n").Content()
	of := func(content *Content, files ...string) Source {
		return Source{Reading: "w", Files: files, Content: content}
	}
	otherWay := of(bytes, "")
	otherWay.Reading = "v"
	j := &Journal{Runs: []Run{
		{Number: 1, Source: of(bytes, "")}, {Number: 2, Source: of(other, "")}, {Number: 3, Source: of(bytes, "x")},
		{Number: 4, Source: otherWay}, {Number: 5, Source: of(nil, "y")},
	}}
	var numbers []uint64
	for _, run := range j.SameFiles(of(nil, "x"), false) {
		numbers = append(numbers, run.Number)
	}
	if !slices.Equal(numbers, []uint64{1, 3}) {
		t.Errorf("runs %v have read the same, want 1 and 3", numbers)
	}
}

// TestDeletionHasNoVerdicts checks that a deletion has no verdicts, even if an undone run with the
// same number had some.
func TestDeletionHasNoVerdicts(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir := t.TempDir()
		s := draw(rt)
		_, run := recorded(rt, dir, s, drawDetails(rt))
		j, err := Open(dir, run.Number-1)
		must(rt, err)
		j.Deletion(run.Number, "names", 3)
		if committed(rt, j) != nil {
			rt.Fatal("a deletion is to be gone on with")
		}
		again, err := Open(dir, run.Number)
		must(rt, err)
		last := again.Runs[len(again.Runs)-1]
		if last.Number != run.Number || last.Deleted != 3 || last.HasVerdicts {
			rt.Fatalf("the deletion is %+v", last)
		}
		must(rt, again.Verify())
		if same := again.SameFiles(run.Source, true); len(same) > 0 {
			rt.Fatalf("run %d has read the same", same[0].Number)
		}
	})
}

// TestRecorderPassesAbilitiesOn checks that a judge that prefetches batches, or remembers records
// permanently, still does so behind a Recorder and behind a Continuation that no longer repeats
// verdicts.
func TestRecorderPassesAbilitiesOn(t *testing.T) {
	able := stream.KeepAll()
	able.CanPrefetch, able.Prefetch = func() bool { return true }, func([]stream.Batch) error { return nil }
	able.Remembers, able.VotesOfCopy = func(uint16) bool { return true }, func() int { return 1 }
	goesOn := &Continuation{replayer: &Replayer{}, judge: able}
	for name, judge := range map[string]stream.Judge{"judge": able, "continuation": goesOn.Judge()} {
		recorded := (&Recorder{judge: judge}).Judge()
		if !recorded.CanPrefetch() || recorded.Prefetch == nil {
			t.Errorf("%s: a Recorder does not pass on that it prefetches", name)
		}
		if !recorded.Remembers(0) || recorded.VotesOfCopy() != 1 {
			t.Errorf("%s: a Recorder does not pass on that it remembers records", name)
		}
		if !recorded.ReadsHashes {
			t.Errorf("%s: a Recorder lets copies come without hashes", name)
		}
	}
	judge := goesOn.Judge()
	goesOn.repeated = true
	if judge.Remembers(0) {
		t.Error("a judge remembers a batch that it has not seen")
	}
	goesOn.torn = true
	if judge.CanPrefetch() {
		t.Error("a judge sees batches in advance while verdicts are repeated")
	}
	plain := (&Continuation{replayer: &Replayer{}, judge: stream.KeepAll()}).Judge()
	if plain.CanPrefetch != nil || plain.Remembers != nil {
		t.Error("a Continuation can do what its judge cannot")
	}
}
