package bloomlsh

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/store"
	"github.com/mithril-stream/mithril-stream/internal/storetest"
)

func TestParametersMustAgree(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "idx")
	s, err := Open(dir, smallParams, testIdentity)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	other := smallParams
	other.FPRate = 1e-9
	for _, c := range []struct {
		p        Params
		identity []Parameter
		want     []string
	}{
		{other, testIdentity, []string{"fp-rate is 1e-06 in it and 1e-09 here"}},
		{smallParams, []Parameter{{Name: "threshold", Value: "0.8"}, {Name: "field", Value: "x"},
			{Name: "normalize", Value: ""}},
			[]string{"threshold is 0.85 in it and 0.8 here", `field is "a\tb\\c\n" in it and x here`}},
		{smallParams, testIdentity[:2], []string{`normalize is "" in it and not known here`}},
		{smallParams, append(testIdentity[:3:3], Parameter{Name: "seed", Value: "1"}),
			[]string{"seed is not known to it and 1 here"}},
	} {
		_, err := Open(dir, c.p, c.identity)
		if !errors.Is(err, ErrParameters) {
			t.Fatalf("error %v, want %v", err, ErrParameters)
		}
		if strings.Count(err.Error(), " here") != len(c.want) {
			t.Errorf("%v: want %d differences", err, len(c.want))
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%v: does not say %s", err, want)
			}
		}
	}
	if _, err := OpenReadOnly(dir, 3, testIdentity); !errors.Is(err, ErrParameters) {
		t.Errorf("reader with other bands: %v", err)
	}
	p, identity, err := ReadParameters(dir)
	if err != nil || p != smallParams.complete() || fmt.Sprint(identity) != fmt.Sprint(testIdentity) {
		t.Errorf("parameters %v, %v, %v", p, identity, err)
	}
	if _, err := Open(dir, smallParams, []Parameter{{Name: "bands", Value: "2"}}); err == nil {
		t.Error("an identity with the index's own name is accepted")
	}
}

func TestOneWriterManyReaders(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "idx")
	s, err := Open(dir, smallParams, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, smallParams, nil); !errors.Is(err, ErrLocked) {
		t.Errorf("second writer: %v, want %v", err, ErrLocked)
	}
	if err := Compact(dir, index.Undo{}); !errors.Is(err, ErrLocked) {
		t.Errorf("compact beside a writer: %v, want %v", err, ErrLocked)
	}
	one, two := []Key{{Lo: 1}, {Lo: 2}}, []Key{{Lo: 3}, {Lo: 4}}
	observeRecord(s, one)
	if err := s.Commit(Position{Records: 1}); err != nil {
		t.Fatal(err)
	}
	observeRecord(s, two)
	for range 2 {
		r, err := OpenReadOnly(dir, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		if !hasRecord(r, one) || hasRecord(r, two) || r.Committed().Records != 1 {
			t.Error("a reader sees something else than the last commit")
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = Open(dir, smallParams, nil); err != nil {
		t.Fatalf("the lock outlives its writer: %v", err)
	}
	s.Close()
}

// TestReaderBesideFold folds the index between a reader's reads of MANIFEST and of the files that
// it names.
func TestReaderBesideFold(t *testing.T) {
	files := storetest.New(t)
	env := testEnvironment(1 << 30)
	fill(t, env, files, smallParams, 50, 1)
	s, err := openStore(env, files.Path("idx"), smallParams, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	folded := false
	defer store.Watch(store.Watcher{Reading: func(o store.Operation) error {
		if folded || o.Kind != store.Open || filepath.Base(o.Path) == "MANIFEST" {
			return nil
		}
		folded = true
		return s.Fold(Position{Records: 51})
	}})()
	r, err := openReader(env, files.Path("idx"), 2, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if r.Committed().Records != 51 {
		t.Errorf("the reader found %+v", r.Committed())
	}
}

func TestPositionMeta(t *testing.T) {
	files := storetest.New(t)
	env := testEnvironment(1 << 30)
	s, err := openStore(env, files.Path("idx"), smallParams, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Commit(Position{Meta: make([]byte, index.MaxMeta+1)}); err == nil {
		t.Error("more than index.MaxMeta bytes are accepted")
	}
	meta := []byte(strings.Repeat("x", index.MaxMeta))
	if err := errors.Join(s.Commit(Position{Meta: meta}), s.Close()); err != nil {
		t.Fatal(err)
	}
	if s, err = openStore(env, files.Path("idx"), smallParams, nil); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if string(s.Committed().Meta) != string(meta) {
		t.Errorf("%d bytes come back", len(s.Committed().Meta))
	}
}

func TestOpenRefuses(t *testing.T) {
	parent := t.TempDir()
	if _, err := Open(filepath.Join(parent, "no", "idx"), smallParams, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing parent: %v", err)
	}
	if _, err := OpenReadOnly(filepath.Join(parent, "none"), 2, nil); !errors.Is(err, ErrNoIndex) {
		t.Errorf("a missing index: %v", err)
	}
	if err := Compact(filepath.Join(parent, "none"), index.Undo{}); !errors.Is(err, ErrNoIndex) {
		t.Errorf("a missing index: %v", err)
	}
	name := filepath.Join(parent, "file")
	os.WriteFile(name, nil, 0o666)
	if _, err := Open(name, smallParams, nil); err == nil {
		t.Error("a file is taken for a directory")
	}
	// Index files without a MANIFEST must not be overwritten.
	dir := filepath.Join(parent, "idx")
	s, err := Open(dir, smallParams, nil)
	if err != nil {
		t.Fatal(err)
	}
	observeRecord(s, []Key{{Lo: 1}, {Lo: 2}})
	s.Commit(Position{})
	s.Close()
	os.Remove(filepath.Join(dir, "MANIFEST"))
	if _, err := Open(dir, smallParams, nil); !errors.Is(err, ErrCorrupt) {
		t.Errorf("a lost MANIFEST: %v", err)
	}
}

func TestInspect(t *testing.T) {
	files := storetest.New(t)
	env := testEnvironment(1 << 30)
	fill(t, env, files, smallParams, 100, 1)
	stats, err := inspected(env, files.Path("idx"))
	if err != nil {
		t.Fatal(err)
	}
	d, err := describe(env, files.Path("idx"))
	if err != nil {
		t.Fatal(err)
	}
	if stats.Observed != 100 || len(stats.Generations) != 2 || d.Last.Records != 100 || d.Last.Number != 2 ||
		d.Uncommitted != 0 {
		t.Errorf("%+v", d)
	}
	if len(d.Files) != 1 || d.Files[0].Name != "log-1" ||
		d.Files[0].Bytes != int64(len(files.Read("idx/log-1"))) {
		t.Errorf("files %v", d.Files)
	}
}

// TestThresholdAloneIsNoDifference checks that the threshold is named along with others that
// differ, if both sides have it. If it is the only difference, or one side lacks it, the index
// opens and keeps its own.
func TestThresholdAloneIsNoDifference(t *testing.T) {
	threshold := func(value string) []Parameter {
		return []Parameter{{Name: ThresholdParameter, Value: value}, {Name: "sketch", Value: "x"}}
	}
	without := threshold("")[1:]
	other := smallParams
	other.Bands++
	for _, c := range []struct {
		made, opened []Parameter
		named        bool
	}{
		{threshold("0.85"), threshold("0.8"), true},
		{without, threshold("0.8"), false},
		{threshold("0.85"), without, false},
	} {
		dir := filepath.Join(t.TempDir(), "idx")
		for _, identity := range [][]Parameter{c.made, c.opened} {
			s, err := Open(dir, smallParams, identity)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
		r, err := OpenReadOnly(dir, smallParams.Bands, c.opened)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if _, kept, err := ReadParameters(dir); err != nil || fmt.Sprint(kept) != fmt.Sprint(c.made) {
			t.Errorf("made with %v, it has %v: %v", c.made, kept, err)
		}
		_, err = Open(dir, other, c.opened)
		if !errors.Is(err, ErrParameters) || !strings.Contains(err.Error(), "bands is") ||
			strings.Contains(err.Error(), "threshold is 0.85 in it and 0.8 here") != c.named ||
			strings.Contains(err.Error(), "not known") {
			t.Errorf("made with %v, opened with %v: %v", c.made, c.opened, err)
		}
	}
}
