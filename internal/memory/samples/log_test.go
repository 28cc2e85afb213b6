package samples

import (
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/internal/fixedseed"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/sketch/fracminhash"
)

// A memFile is a file of which a crash leaves what was not flushed, or loses it.
type memFile struct {
	bytes []byte
	fail  error // of the next write
}

func (m *memFile) ReadAt(p []byte, at int64) (int, error) {
	if at >= int64(len(m.bytes)) {
		return 0, io.EOF
	}
	n := copy(p, m.bytes[at:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (m *memFile) WriteAt(p []byte, at int64) (int, error) {
	if m.fail != nil {
		return 0, m.fail
	}
	m.bytes = append(m.bytes[:at], p...)
	return len(p), nil
}

func (m *memFile) Truncate(size int64) error {
	m.bytes = m.bytes[:min(int(size), len(m.bytes))]
	return nil
}

func (m *memFile) Sync() error { return nil }

// An index that ends and is loaded at random places, with and without a commit, answers like one
// that was never closed.
func TestLoadedIndexAnswersLikeOneThatWasNeverClosed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t)
		texts := stream(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)), p, 200)
		want := mustNew(t, p)
		defer want.Close()
		file, length := &memFile{}, int64(0)
		for range rapid.IntRange(1, 5).Draw(t, "runs") {
			x, err := memory.Load(New, p, file, length, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, expected := x.Stats(), want.Stats()
			got.Bytes, expected.Bytes, got.LogBytes, expected.LogBytes = 0, 0, 0, 0
			if got != expected {
				t.Fatalf("loaded %+v, want %+v", got, expected)
			}
			batch := texts[:rapid.IntRange(0, min(60, len(texts))).Draw(t, "batch")]
			texts = texts[len(batch):]
			commit := rapid.Bool().Draw(t, "commit")
			for _, text := range batch {
				var got, expected [1]memory.Match
				if _, err := x.Observe(text.words(p), got[:]); err != nil {
					t.Fatal(err)
				}
				if !commit {
					continue
				}
				if _, err := want.Observe(text.words(p), expected[:]); err != nil || got != expected {
					t.Fatalf("%+v, want %+v, %v", got, expected, err)
				}
			}
			if commit {
				if length, err = x.Flush(); err != nil {
					t.Fatal(err)
				}
			}
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// An index that has absorbed the logs of others answers like one that has observed the records of
// all of them, and so does what is read of its log.
func TestAbsorbedLogsAreOneStream(t *testing.T) {
	fixedseed.Quarter(t)
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t)
		p.UnseenOnly = false // of which each log has its own
		texts := stream(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)), p, 150)
		want, entries, out := newPlain(p), 0, &memFile{}
		union, err := memory.Load(New, p, out, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer union.Close()
		for range rapid.IntRange(1, 3).Draw(t, "logs") {
			file := &memFile{}
			x, err := memory.Load(New, p, file, 0, nil)
			if err != nil {
				t.Fatal(err)
			}
			own, families := newPlain(p), map[uint64]uint64{} // by their record in the log
			for range rapid.IntRange(0, 40).Draw(t, "records") {
				if _, err := x.Observe(texts[0].words(p), make([]memory.Match, 1)); err != nil {
					t.Fatal(err)
				}
				text, before := texts[0], want.records-own.records
				own.observe(text)
				want.records++
				if last := len(own.texts) - 1; last >= 0 && own.texts[last].record == own.records &&
					want.copyOf(text) == 0 {

					// A copy of a text of its log has the family that this one has in the union.
					// Others may be copies of a text of an earlier log.
					family := own.texts[last].family
					if _, known := families[family]; !known {
						families[family] = want.records
						if before > 0 {
							families[family] = want.familyOf(text)
						}
					}
					text.record, text.family = want.records, families[family]
					want.add(text)
					entries++
				}
				texts = texts[1:]
			}
			length, err := x.Flush()
			if err != nil {
				t.Fatal(err)
			}
			if err := union.Absorb(file, length, nil, nil); err != nil {
				t.Fatal(err)
			}
			x.Close()
		}
		length, err := union.Flush()
		if err != nil {
			t.Fatal(err)
		}
		read, err := memory.Read(New, p, out, length, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer read.Close()
		for _, x := range []*Index{union, read} {
			if got := x.Stats(); got.Records != want.records || got.Entries != uint64(entries) {
				t.Errorf("%+v, want %d records, %d entries", got, want.records, entries)
			}
			for _, text := range texts {
				var got [1]memory.Match
				if err := x.Query(text.words(p), got[:]); err != nil {
					t.Fatal(err)
				}
				if best, _ := want.ask(text); got[0] != best {
					t.Fatalf("%v, want %v", got[0], best)
				}
			}
		}
	})
}

// logOf is a log of some texts.
func logOf(t *testing.T, p Params, count int) (*memFile, int64) {
	t.Helper()
	file := &memFile{}
	x, err := memory.Load(New, p, file, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for _, text := range stream(rand.New(rand.NewPCG(1, 1)), p, count) {
		if _, err := x.Observe(text.words(p), make([]memory.Match, 1)); err != nil {
			t.Fatal(err)
		}
	}
	length, err := x.Flush()
	if err != nil {
		t.Fatal(err)
	}
	return file, length
}

func TestLogOfAnotherIndexIsRefused(t *testing.T) {
	file, length := logOf(t, Params{Scale: 16, Threshold: .8}, 6)
	for _, other := range []Params{
		{Scale: 8, Threshold: .8}, {Scale: 16, Threshold: .8, Beside: fracminhash.Set},
		{Scale: 16, Threshold: .8, Beside: fracminhash.Finer},
	} {
		if _, err := memory.Read(New, other, file, length, nil); !errors.Is(err, memory.ErrCorrupt) {
			t.Errorf("%+v: %v", other, err)
		}
	}
}

// Entries that no index has written are refused, wherever they end.
func TestDecodeRefusesWhatIsNoEntry(t *testing.T) {
	x := mustNew(t, Params{Scale: 16, Threshold: .8, Beside: fracminhash.Finer})
	defer x.Close()
	entry := func(words ...uint64) (bytes []byte) {
		for _, w := range words {
			for i := range 8 {
				bytes = append(bytes, byte(w>>(8*i)))
			}
		}
		return bytes
	}
	whole := entry(1, 0, 2, 3, 4)
	if _, rest, err := (kind{x}).Decode(append(slices.Clone(whole), 7), 0); err != nil || len(rest) != 1 {
		t.Fatal(rest, err)
	}
	for n := range whole {
		if _, _, err := (kind{x}).Decode(whole[:n], 0); !errors.Is(err, memory.ErrCorrupt) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	for _, words := range [][]uint64{{1, 0, 0}, {1, 0, 2, 4, 3}, {1, 0, 5<<57 | 1, 3}, {1, 0, 1<<56 | 1, 3},
		{1, 0, 1<<56 - 1, 3}, {1, 0, 1<<57 | 1<<28 | 1, 3, 1}, {1, 0, 1<<57 | 1<<28, 1 << 31},
		{1, 0, 1 << 28, 1 << 31}, {1, 1, 2, 3, 4}} {
		if _, _, err := (kind{x}).Decode(entry(words...), 0); !errors.Is(err, memory.ErrCorrupt) {
			t.Errorf("%x: %v", words, err)
		}
	}
}
