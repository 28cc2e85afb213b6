package windows_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/internal/fixedseed"
	"github.com/mithril-stream/mithril-stream/internal/memory/windows"
	"github.com/mithril-stream/mithril-stream/internal/memorytest"
	"github.com/mithril-stream/mithril-stream/internal/timestest"
	"github.com/mithril-stream/mithril-stream/internal/windowclock"
)

// At any rate of records, with pauses, wrong times and runs that end anywhere, nothing within the
// age is forgotten, and nothing beyond the age and a window is remembered: with five windows, 1.25
// times the age, and with 61, an hour and a minute.
func TestForgettingKeepsItsPromise(t *testing.T) {
	fixedseed.Quarter(t)
	rapid.Check(t, func(rt *rapid.T) { checkPromise(rt, t.TempDir()) })
}

func checkPromise(t *rapid.T, dir string) {
	age := rapid.SampledFrom([]int64{400, 40_000, 4_000_000}).Draw(t, "age")
	keep := rapid.SampledFrom([]int{2, 5, 61}).Draw(t, "windows")
	stream := timestest.Stream(t, age, 150)
	records := make([]record, len(stream))
	for i, r := range stream {
		sketch := rand.New(rand.NewPCG(uint64(r.Text), 1)).Uint64()
		records[i] = record{second: r.Second, sketch: []uint64{sketch}}
	}
	k := &kept{t: t, dir: dir, kind: memorytest.Kinds["fingerprints"],
		p: windows.Params{Keep: keep, ForgetAfter: time.Duration(age) * time.Second}}
	k.open()
	isDuplicate := make([]bool, 0, len(records))
	for k.taken < len(records) {
		end := min(len(records), k.taken+rapid.IntRange(1, 120).Draw(t, "batch"))
		for _, m := range k.observe(records[k.taken:end]) {
			isDuplicate = append(isDuplicate, m.Record > 0)
		}
		if rapid.IntRange(0, 2).Draw(t, "then") == 0 {
			k.sync()
			k.close()
			k.open()
		}
	}
	k.close()
	timestest.Check(t, age, int64(keep)*windowclock.Seconds(k.p.ForgetAfter, keep), stream, isDuplicate)
}
