package bloomlsh

import (
	"slices"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/storetest"
)

// forgetting are the parameters of an index that keeps two generations of 50 records besides the
// one being filled.
var forgetting = Params{Bands: 3, Capacity: 100, FPRate: 1e-6, Filter: FilterPaged, Remember: RememberAll,
	OnFull: OnFullGrow, KeepGenerations: 3}

// TestForgets checks that an index that forgets remembers at least its capacity, and no more than
// its generations.
func TestForgets(t *testing.T) {
	x := mustNew(t, forgetting)
	stream := &keyStream{7}
	const records = 1234
	all := make([][]Key, records)
	for i := range all {
		all[i] = make([]Key, forgetting.Bands)
		stream.fill(all[i])
		if _, err := observeRecord(x, all[i]); err != nil {
			t.Fatal(err)
		}
	}
	remembered := 0
	for i, keys := range all {
		has := hasRecord(x, keys)
		if i >= records-100 && !has {
			t.Fatalf("record %d of %d is forgotten", i, records)
		}
		if has {
			remembered++
		}
	}
	if remembered != 134 {
		t.Errorf("%d records are remembered, want 134: 50, 50, and 34 since", remembered)
	}
	if s := x.Stats(); s.Forgotten != 22 || len(s.Generations) != 3 || s.FPRateAtCapacity > forgetting.FPRate {
		t.Errorf("stats %+v", s)
	}
}

// TestWhatRecursIsNotForgotten checks that recurring records are remembered, whatever their age.
func TestWhatRecursIsNotForgotten(t *testing.T) {
	for _, workers := range []int{1, 3} {
		x := mustNew(t, forgetting)
		x.Parallelize(workers)
		stream, recurring := &keyStream{7}, []Key{{Lo: 1}, {Lo: 2}, {Lo: 3}}
		for batch := range 40 {
			keys, votes := make([]Key, 0, 90), make([]uint16, 30)
			for range 30 {
				keys = keys[:len(keys)+3]
				stream.fill(keys[len(keys)-3:])
			}
			copy(keys[9:], recurring)
			if _, err := x.Observe(keys, votes); err != nil {
				t.Fatal(err)
			}
			if seen := votes[3] == 3; seen != (batch > 0) {
				t.Fatalf("%d workers, batch %d: the record that recurs has %d votes", workers, batch, votes[3])
			}
		}
	}
}

// TestPlanOfAnIndexThatForgets checks that the planned rate is that of all generations together.
func TestPlanOfAnIndexThatForgets(t *testing.T) {
	p := Params{Bands: 32, Votes: 8, Capacity: 1_000_000, FPRate: 1e-8, KeepGenerations: 5, Filter: FilterPaged}
	plan, err := PlanIndex(p, 5)
	if err != nil {
		t.Fatal(err)
	}
	all, err := PlanIndex(Params{Bands: 32, Votes: 8, Capacity: 1_250_000, FPRate: 1e-8, OnFull: OnFullRefuse,
		Filter: FilterPaged}, 5)
	if err != nil {
		t.Fatal(err)
	}
	if plan.FPRate > p.FPRate || plan.FPRate < p.FPRate/10 {
		t.Errorf("a rate of %g is planned, promised is %g", plan.FPRate, p.FPRate)
	}
	if ratio := float64(plan.Memory) / float64(all.Memory); ratio < 1 || ratio > 1.5 {
		t.Errorf("%d bytes, %d for as many records in one generation", plan.Memory, all.Memory)
	}
	one, two := ExpectedFalseRemovals(p, 10_000_000), ExpectedFalseRemovals(p, 20_000_000)
	if rate := (two - one) / 10e6; rate > p.FPRate || rate < p.FPRate/10 {
		t.Errorf("%g of 10 million further records are lost", two-one)
	}
}

func TestMergeRefusesWhatForgets(t *testing.T) {
	files := storetest.New(t)
	env := testEnvironment(1 << 30)
	s, err := openStore(env, files.Path("idx"), forgetting, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	err = merge(env, []string{files.Path("idx")}, files.Path("out"))
	if err == nil || !strings.Contains(err.Error(), "it forgets") {
		t.Errorf("error %v", err)
	}
}

// TestFirstGenerationIsMissing checks that MANIFEST may start with a later generation only if the
// index forgets.
func TestFirstGenerationIsMissing(t *testing.T) {
	files := storetest.New(t)
	env := testEnvironment(1)
	for run := range 4 {
		fill(t, env, files, smallParams, 50, uint64(run))
	}
	m := baseNames(files)
	if len(m) < 2 {
		t.Fatal(m)
	}
	writeManifest(files, slices.DeleteFunc(manifestLines(files), func(line string) bool {
		return strings.HasPrefix(line, "base\t"+m[0])
	}))
	_, err := openStore(env, files.Path("idx"), smallParams, nil)
	if err == nil || !strings.Contains(err.Error(), "names generation 2 first") {
		t.Errorf("error %v", err)
	}
}
