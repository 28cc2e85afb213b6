package bloomlsh

import (
	"math"
	"testing"

	"github.com/mithril-stream/mithril-stream/bloomlsh/lsh"
	"github.com/mithril-stream/mithril-stream/internal/units"
)

// TestPlanOfThePaper checks the figure of the LSHBloom paper: 10¹⁰ documents at T = .8, with 128
// permutations and p_eff = 1e-10, take about 590 GB.
func TestPlanOfThePaper(t *testing.T) {
	bands, rows, err := lsh.TuneBalanced(.8, 128)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := PlanIndex(Params{Bands: bands, Capacity: 1e10, FPRate: 1e-10, Filter: FilterClassic,
		Remember: RememberAll, OnFull: OnFullRefuse}, rows)
	if err != nil {
		t.Fatal(err)
	}
	for name, bytes := range map[string]uint64{"formula": plan.ClassicBytes, "filter": plan.Memory} {
		if math.Abs(float64(bytes)/590e9-1) > .01 {
			t.Errorf("%s: %s, want 590 GB", name, units.Bytes(bytes))
		}
	}
	// According to the paper, MinHashLSH takes about 18 times as much.
	if ratio := float64(plan.HashTableBytes) / float64(plan.ClassicBytes); ratio < 16 || ratio > 19 {
		t.Errorf("a hash table takes %.1f times as much", ratio)
	}
}

// TestPagedOverhead checks that the paged filter costs at most a fifth more than the textbook one,
// at every useful rate.
func TestPagedOverhead(t *testing.T) {
	for rate := 1e-3; rate > 1e-11; rate /= 3 {
		for _, bands := range []int{9, 14, 42} {
			plan, err := PlanIndex(Params{Bands: bands, Capacity: 1e8, FPRate: rate, Filter: FilterPaged,
				Remember: RememberAll, OnFull: OnFullRefuse}, 9)
			if err != nil {
				t.Fatal(err)
			}
			over := float64(plan.Memory)/float64(plan.ClassicBytes) - 1
			if over < 0 || over > .2 {
				t.Errorf("%d bands, rate %.2g: %.1f %% more than plain Bloom filters", bands, rate, 100*over)
			}
			if plan.FPRate > rate*1.0001 || plan.FPRate < rate*.99 {
				t.Errorf("%d bands: rate %g, want %g", bands, plan.FPRate, rate)
			}
		}
	}
}

// TestModelErrors compares the integral with its closed form, and checks the terms added by filters
// and collisions.
func TestModelErrors(t *testing.T) {
	p := Params{Bands: 9, Capacity: 1e9, FPRate: 1e-5, Filter: FilterPaged, Remember: RememberAll, OnFull: OnFullRefuse}
	m := ModelErrors(p, 13, .8, 1e9, 61)
	// ∫₀ᵀ of a polynomial: Σ over j ≥ 1 of C(9,j)(-1)^(j+1) T^(13j+1)/(13j+1).
	want := 0.0
	choose := 1.0
	for j := 1; j <= 9; j++ {
		choose *= float64(10-j) / float64(j)
		want += choose * math.Pow(-1, float64(j+1)) * math.Pow(.8, float64(13*j+1)) / float64(13*j+1)
	}
	if math.Abs(m.LSHFalsePositives-want) > 1e-9 {
		t.Errorf("false positives of the banding %g, want %g", m.LSHFalsePositives, want)
	}
	if math.Abs(m.Filters/1e-5-1) > .01 {
		t.Errorf("filters %g, want 1e-5", m.Filters)
	}
	if want := 9 * 1e9 / math.Pow(2, 61); math.Abs(m.Collisions/want-1) > 1e-6 {
		t.Errorf("collisions %g, want %g", m.Collisions, want)
	}
	if m.FalsePositives <= m.LSHFalsePositives || m.FalseNegatives >= m.LSHFalseNegatives {
		t.Errorf("%+v", m)
	}
	if wide := ModelErrors(p, 13, .8, 1e9, 128); wide.Collisions > 1e-28 {
		t.Errorf("collisions of 128-bit keys %g", wide.Collisions)
	}
}

func TestPlanRefuses(t *testing.T) {
	if _, err := PlanIndex(Params{}, 1); err == nil {
		t.Error("no parameters are accepted")
	}
}
