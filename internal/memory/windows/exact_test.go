package windows_test

import (
	"encoding/json"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/memory/keytimes"
	"github.com/mithril-stream/mithril-stream/internal/memory/windows"
	"github.com/mithril-stream/mithril-stream/internal/memorytest"
	"github.com/mithril-stream/mithril-stream/internal/timestest"
)

// exactKept is a memory of keys with times, which is kept in a directory.
func exactKept(t *rapid.T, dir string, age int64, unseenOnly bool) *kept {
	p := windows.ExactParams(time.Duration(age) * time.Second)
	p.UnseenOnly, p.Least = unseenOnly, rapid.SampledFrom([]uint64{1, 20, 70, 1000}).Draw(t, "least records")
	return &kept{t: t, dir: dir, p: p, kind: memorytest.Kind{Begin: func() (memory.Index, error) {
		return keytimes.New(keytimes.Params{Age: age, UnseenOnly: unseenOnly})
	}}}
}

// run gives the memory records in batches, with commits and restarts between them, and returns
// which are duplicates.
func (k *kept) run(records []record) (isDuplicate []bool) {
	k.open()
	var found []bool
	for k.taken < len(records) {
		end := min(len(records), k.taken+rapid.IntRange(1, 120).Draw(k.t, "batch"))
		found = found[:k.taken]
		for _, m := range k.observe(records[k.taken:end]) {
			found = append(found, m.Record > 0)
		}
		switch rapid.IntRange(0, 4).Draw(k.t, "then") {
		case 0, 1:
			k.sync()
			k.close()
			k.open()
		case 2: // killed: what came since the last commit comes again
			k.close()
			k.open()
		}
	}
	k.sync()
	k.close()
	return found
}

func keyed(text int, second int64) record {
	rng := rand.New(rand.NewPCG(uint64(text), 1))
	return record{second: second, sketch: []uint64{rng.Uint64(), rng.Uint64()}}
}

// checkAsked asks a reader of the memory for a text of a time.
func checkAsked(k *kept, text int, second int64, isKnown bool) {
	var state windows.State
	must(k.t, json.Unmarshal(k.state, &state))
	var names memory.Names
	x := k.read(&names, &state, k.stats.Entries)
	defer x.Close()
	found := make([]memory.Match, 1)
	must(k.t, x.QueryAt([]int64{second}, keyed(text, 0).sketch, found))
	if found[0].Record > 0 != isKnown {
		k.t.Fatalf("asked at %d s, text %d resembles %+v, and is known: %t", second, text, found[0], isKnown)
	}
	if name := string(names.Append(nil, found[0].Record)); isKnown && name != nameOf(found[0].Record) {
		k.t.Fatalf("record %d is called %s", found[0].Record, name)
	}
}

// At any rate of records, with pauses, wrong times and runs that end anywhere, a key is forgotten
// exactly at the age: nothing younger, and nothing that old is remembered.
func TestKeysAreForgottenToTheSecond(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		age := rapid.SampledFrom([]int64{7, 400, 40_000, 4_000_000}).Draw(rt, "age")
		stream := timestest.Stream(rt, max(age, 100), 150)
		var records []record
		for _, r := range stream {
			records = append(records, keyed(r.Text, r.Second))
		}
		found := exactKept(rt, t.TempDir(), age, false).run(records)
		timestest.Check(rt, age-1, age-1, stream, found)
	})
}

// Where times are right, but not in order, by up to a quarter of the age, a record is a duplicate
// if and only if its key was seen, or with UnseenOnly was kept, at a time that is less than the age
// before its own, or later.
func TestLateKeysAreJudgedByTheirTimes(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		age := rapid.SampledFrom([]int64{8, 400, 40_000}).Draw(rt, "age")
		unseenOnly := rapid.Bool().Draw(rt, "unseen only")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		var records []record
		var want []bool
		last, now := map[int]int64{}, int64(1_700_000_000)
		for range rapid.IntRange(1, 300).Draw(rt, "records") {
			now += rng.Int64N(rapid.SampledFrom([]int64{1, 2, age / 8, age, 9 * age}).Draw(rt, "step") + 1)
			second, text := now-rng.Int64N(age/4+1), rng.IntN(12)
			before, isKnown := last[text]
			isDuplicate := isKnown && before > second-age
			want = append(want, isDuplicate)
			if !isDuplicate || !unseenOnly {
				if !isKnown || before < second {
					last[text] = second
				}
			}
			records = append(records, keyed(text, second))
		}
		k := exactKept(rt, t.TempDir(), age, unseenOnly)
		found := k.run(records)
		for text := range 13 {
			before, isKnown := last[text]
			checkAsked(k, text, now, isKnown && before > now-age)
		}
		for i, is := range found {
			if is != want[i] {
				rt.Fatalf("record %d of %d s: %v, want %v", i, records[i].second, is, want[i])
			}
		}
	})
}
