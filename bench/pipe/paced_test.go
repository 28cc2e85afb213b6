package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// The bound of a paced run is the slowest stage, of which the workers are as many as there are.
func TestPacedBound(t *testing.T) {
	for _, c := range []struct {
		threads int
		rate    float64
		stage   string
	}{{1, .25e6, "workers"}, {4, 1e6, "workers"}, {16, 2e6, "committer"}} {
		rate, stage := (paces{reader: .2, worker: 4, committer: .5}).bound(c.threads)
		if rate != c.rate || stage != c.stage {
			t.Errorf("%d threads: %.0f records a second by %s, want %.0f by %s", c.threads, rate, stage, c.rate,
				c.stage)
		}
	}
	if _, stage := (paces{reader: .6, worker: 4, committer: .5}).bound(16); stage != "reader" {
		t.Errorf("the narrowest is %s", stage)
	}
}

// A paced run takes at least the time of its slowest stage, and not the sum of all.
func TestPacedRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.jsonl")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := writeEnglish(f, 2000, pageBytes, 1); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	p := paces{committer: 2} // of 2000 records, 50 times as long: .2 s
	rate, err := p.run(path, 4)
	if err != nil {
		t.Fatal(err)
	}
	if bound, _ := p.bound(4); rate > 1.1*bound || rate < bound/20 {
		t.Errorf("%.0f records a second, where %.0f are the bound", rate, bound)
	}
}

// What passes a pacer is done when all of it has had its time, though short waits are left out.
func TestPacer(t *testing.T) {
	p := newPacer(1)
	started := time.Now()
	for range 10 {
		p.pass(1)
	}
	const want = 10 * slowness * time.Microsecond
	if due := p.next.Sub(started); due < want-mostCredit || due > want+time.Second {
		t.Errorf("done after %v", due)
	}
}
