package bloomlsh

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/storetest"
)

// indexesOf makes an index of the records of each part, and returns their directories.
func indexesOf(t *testing.T, files *storetest.Machine, env environment, p Params, parts [][][]Key) (dirs []string) {
	t.Helper()
	for i, part := range parts {
		dirs = append(dirs, files.Path(fmt.Sprint("idx", i)))
		s, err := openStore(env, dirs[i], p, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, keys := range part {
			observeRecord(s, keys)
		}
		if err := errors.Join(s.Commit(Position{}), s.Close()); err != nil {
			t.Fatal(err)
		}
	}
	return dirs
}

// mergedOf returns a reader of the union of indexes with the given records.
func mergedOf(t *testing.T, p Params, parts [][][]Key) *Reader {
	t.Helper()
	files, env := storetest.New(t), testEnvironment(1<<30)
	dirs := indexesOf(t, files, env, p, parts)
	if err := merge(env, dirs, files.Path("merged")); err != nil {
		t.Fatal(err)
	}
	r, err := openReader(env, files.Path("merged"), p.Bands, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// foundIn returns how many records are duplicates of what an index has.
func foundIn(t *testing.T, r *Reader, p Params, records [][]Key) (found int) {
	t.Helper()
	votes := make([]uint16, len(records))
	if err := r.Query(slices.Concat(records...), votes); err != nil {
		t.Fatal(err)
	}
	for _, v := range votes {
		if int(v) >= p.Votes {
			found++
		}
	}
	return found
}

// sharing returns a record for each of those given that has its first keys, and others of its own.
func sharing(stream *keyStream, records [][]Key, keys int) (made [][]Key) {
	for _, r := range records {
		made = append(made, make([]Key, len(r)))
		stream.fill(made[len(made)-1])
		copy(made[len(made)-1], r[:keys])
	}
	return made
}

// TestMergeOfTheSameRecords checks that near copies are found in a union of indexes that have the
// same records, in the same order or not, however many there are, and that others are not.
func TestMergeOfTheSameRecords(t *testing.T) {
	for _, p := range []Params{
		{Bands: 32, Votes: 8, Capacity: 5000},
		{Bands: 32, Votes: 8, Capacity: 5000, OnFull: OnFullRefuse},
		{Bands: 32, Votes: 8, Capacity: 5000, FPRate: 1e-12}, // wide entries
	} {
		for _, isShuffled := range []bool{false, true} {
			counts := []int{1, 2, 3, 4, 5, 7, 20}
			if hurried() {
				counts = []int{1, 2, 7}
			}
			for _, n := range counts {
				stream, random := &keyStream{1}, rand.New(rand.NewPCG(1, uint64(n)))
				var parts [][][]Key
				records := sharing(stream, make40(p.Bands), 0)
				for range n {
					parts = append(parts, slices.Clone(records))
					if isShuffled {
						random.Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
					}
				}
				r := mergedOf(t, p, parts)
				name := fmt.Sprintf("%d indexes, shuffled: %v, %+v", n, isShuffled, p)
				for keys, most := range map[int]int{32: 0, 16: 0, 12: 0, 9: 6} { // votes: how many may be missed
					found := foundIn(t, r, p, sharing(stream, records, keys))
					if missed := len(records) - found; missed > most {
						t.Errorf("%s: %d records with %d keys of one are missed", name, missed, keys)
					}
				}
				if found := foundIn(t, r, p, sharing(stream, records, 6)); found > 0 {
					t.Errorf("%s: %d records with 6 keys of one are found", name, found)
				}
			}
		}
	}
}

// make40 returns records to be filled.
func make40(bands int) [][]Key {
	records := make([][]Key, 40)
	for i := range records {
		records[i] = make([]Key, bands)
	}
	return records
}

// TestMergeOfVariants checks that what resembles a record of any index is found in their union, if
// each has a variant of the record.
func TestMergeOfVariants(t *testing.T) {
	p := Params{Bands: 32, Votes: 8, Capacity: 20_000}
	stream := &keyStream{1}
	base := sharing(stream, make40(p.Bands), 0)
	var parts, queries [][][]Key
	for range 6 {
		parts = append(parts, sharing(stream, base, 20))
		queries = append(queries, sharing(stream, parts[len(parts)-1], 32))
		for _, q := range queries[len(queries)-1] {
			stream.fill(q[:10]) // what is left is 10 keys of the base, and 12 of the variant
		}
	}
	r := mergedOf(t, p, parts)
	for i, q := range queries {
		if found := foundIn(t, r, p, q); found < len(q) {
			t.Errorf("of %d records like those of index %d, %d are found", len(q), i+1, found)
		}
	}
}

// TestMergeRefusesTooManySmallTables checks that a union which would err more often than promised
// is refused, and one that errs less often is not.
func TestMergeRefusesTooManySmallTables(t *testing.T) {
	p := Params{Bands: 32, Votes: 8, Capacity: 500}
	files, env := storetest.New(t), testEnvironment(1<<30)
	stream, parts := &keyStream{1}, make([][][]Key, 40)
	for i := range parts {
		for range p.Capacity {
			keys := make([]Key, p.Bands)
			stream.fill(keys)
			parts[i] = append(parts[i], keys)
		}
	}
	dirs := indexesOf(t, files, env, p, parts)
	err := merge(env, dirs, files.Path("merged"))
	if err == nil || !strings.Contains(err.Error(), "build each index with a capacity of at least") {
		t.Errorf("of 40 indexes: %v", err)
	}
	if err := merge(env, dirs[:4], files.Path("merged")); err != nil {
		t.Errorf("of 4 indexes: %v", err)
	}
}

// TestMergeOfACrowd checks that pages that share a frame are not removed because a few others of
// their site are in each of several indexes: no more of them than by one index of all.
func TestMergeOfACrowd(t *testing.T) {
	p := Params{Bands: 32, Votes: 8, Capacity: 20_000}
	random, stream := rand.New(rand.NewPCG(1, 2)), &keyStream{1}
	frame := make([]Key, p.Bands)
	stream.fill(frame)
	pages := func(n int) (made [][]Key) {
		for _, page := range sharing(stream, slices.Repeat([][]Key{frame}, n), 0) {
			for band := range page {
				if random.IntN(10) < 3 {
					page[band] = frame[band]
				}
			}
			made = append(made, page)
		}
		return made
	}
	parts := make([][][]Key, 8)
	for i := range parts {
		parts[i] = pages(2)
	}
	queries := pages(2000)
	one := foundIn(t, mergedOf(t, p, [][][]Key{slices.Concat(parts...)}), p, queries)
	if all := foundIn(t, mergedOf(t, p, parts), p, queries); all > one+20 {
		t.Errorf("of %d pages %d are removed by a union, and %d by one index", len(queries), all, one)
	}
}
