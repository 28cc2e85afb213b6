package main

import (
	"math"
	"testing"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
)

// The program's own schedule costs what an index that grows takes, and shares never exceed the
// rate.
func TestSchedules(t *testing.T) {
	for _, s := range schedules {
		sum := 0.0
		for i := range 40 {
			sum += s.share(i)
		}
		if sum > 1+1e-12 {
			t.Errorf("%s: the shares of the rate add up to %g", s.name, sum)
		}
	}
	x, err := bloomlsh.New(bloomlsh.Params{Bands: rule.Bands, Votes: rule.Votes, Filter: bloomlsh.FilterPaged})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	bytes, asked, err := schedules[0].cost(firstCapacity)
	if err != nil {
		t.Fatal(err)
	}
	if got := float64(x.Stats().Bytes); math.Abs(bytes/got-1) > .02 || asked != 0 {
		t.Errorf("a first generation takes %g bytes, computed %g; %g older ones are asked", got, bytes, asked)
	}
	if _, asked, err = schedules[0].cost(10e6); err != nil || math.Abs(asked-1.5) > .01 {
		t.Errorf("of 10 million records each is looked up in %g older generations, not 1.5 (%v)", asked, err)
	}
}
