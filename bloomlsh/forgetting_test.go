package bloomlsh

import (
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/internal/fixedseed"
	"github.com/mithril-stream/mithril-stream/internal/storetest"
	"github.com/mithril-stream/mithril-stream/internal/timestest"
	"github.com/mithril-stream/mithril-stream/internal/windowclock"
)

// TestForgettingKeepsItsPromise uses various rates of records, pauses, wrong times, and runs that
// end anywhere. Nothing younger than ForgetAfter may be forgotten, and nothing older by more than a
// window remembered. With five windows, that is 1.25 times ForgetAfter; with 61, an hour and a
// minute.
func TestForgettingKeepsItsPromise(t *testing.T) {
	fixedseed.Quarter(t)
	for _, of := range []Params{
		{Bands: 2, Filter: FilterPaged, Remember: RememberAll},
		{Bands: 2, Filter: FilterClassic, Remember: RememberAll},
		{Bands: 5, Votes: 2, Filter: FilterTagged, Remember: RememberAll},
	} {
		t.Run(of.Filter, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { checkPromise(t, of) })
		})
	}
}

func checkPromise(t *rapid.T, p Params) {
	age := rapid.SampledFrom([]int64{400, 40_000, 4_000_000}).Draw(t, "age")
	p.Capacity, p.FPRate, p.OnFull = 200, 1e-9, OnFullGrow
	p.KeepGenerations = rapid.SampledFrom([]int{2, 5, 61}).Draw(t, "windows")
	p.ForgetAfter = time.Duration(age) * time.Second
	most := int64(p.KeepGenerations) * windowclock.Seconds(p.ForgetAfter, p.KeepGenerations)
	records := timestest.Stream(t, age, 400)
	keys, times := make([]Key, 0, len(records)*p.Bands), make([]int64, len(records))
	for i, r := range records {
		own, stream := make([]Key, p.Bands), &keyStream{uint64(r.Text) << 32}
		stream.fill(own)
		keys, times[i] = append(keys, own...), r.Second
	}
	files := storetest.New(t)
	env := testEnvironment(rapid.SampledFrom([]int64{1, 20_000, 1 << 30}).Draw(t, "minLog"))
	votes, isDuplicate := make([]uint16, len(records)), make([]bool, len(records))
	for from := 0; from < len(records); {
		s, err := openStore(env, files.Path("idx"), p, nil)
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(1, 4).Draw(t, "batches") {
			to := min(len(records), from+rapid.IntRange(1, 150).Draw(t, "batch"))
			if _, err := s.ObserveAt(times[from:to], nil, keys[from*p.Bands:to*p.Bands], votes[from:to]); err != nil {
				t.Fatal(err)
			}
			from = to
		}
		if err := s.Commit(Position{}); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for i := range votes {
		isDuplicate[i] = int(votes[i]) >= p.complete().Votes
	}
	timestest.Check(t, age, most, records, isDuplicate)

	at, err := New(p) // one record at a time, in a single run
	if err != nil {
		t.Fatal(err)
	}
	defer at.Close()
	for i := range records {
		var one [1]uint16
		if _, err := at.ObserveAt(times[i:i+1], nil, keys[i*p.Bands:(i+1)*p.Bands], one[:]); err != nil {
			t.Fatal(err)
		}
		if one[0] != votes[i] {
			t.Fatalf("record %d has %d votes alone, and %d in a batch of a run", i, one[0], votes[i])
		}
	}
	if s, err := openStore(env, files.Path("idx"), p, nil); err != nil || !reflect.DeepEqual(s.index.clock, at.clock) {
		t.Fatalf("the clock is another one: %v", err)
	} else if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
