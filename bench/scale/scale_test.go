package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
)

func TestRecordsAreMadeFromTheirNumbers(t *testing.T) {
	var all, again bytes.Buffer
	for _, to := range []io.Writer{&all, &again} {
		if err := write(to, 3000); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(all.Bytes(), again.Bytes()) {
		t.Error("the same records are not the same bytes")
	}
	lines := strings.Split(strings.TrimSpace(all.String()), "\n")
	if len(lines) != 3000 {
		t.Fatalf("%d lines, not 3000", len(lines))
	}
	texts := map[string]int{}
	for i, line := range lines {
		if want := fmt.Sprintf(`{"text":"%s"}`, recordOf(uint64(i)).text(nil)); line != want {
			t.Fatalf("line %d is %s, its number makes %s", i, line, want)
		}
		if recordOf(uint64(i)).kind == original {
			texts[line]++
		}
	}
	if len(texts) != 2700 {
		t.Errorf("%d different originals, not 2700", len(texts))
	}
}

// Copies are as similar to their originals as they say, come later, and are near and far.
func TestCopies(t *testing.T) {
	const records = 200_000
	var seen [kinds]int
	near, far := 0, 0
	for number := uint64(oneInCopy - 1); number < records; number += oneInCopy {
		r := recordOf(number)
		if r.source >= number || recordOf(r.source).kind != original {
			t.Fatalf("record %d is a copy of %d", number, r.source)
		}
		seen[r.kind]++
		switch distance := number - r.source; {
		case distance <= 10:
			near++
		case distance >= number/10:
			far++
		}
		if number < 20_000 {
			got := jaccard(string(r.text(nil)), string(recordOf(r.source).text(nil)))
			if math.Abs(got-similarity[r.kind]) > 1e-12 {
				t.Fatalf("record %d has J = %g with its original, not %g", number, got, similarity[r.kind])
			}
		}
	}
	copies := records / oneInCopy
	if seen[equal] < copies*45/100 || seen[lastChanged] < copies*20/100 || seen[endsChanged] < copies*20/100 {
		t.Errorf("copies of each kind: %v", seen)
	}
	if near < copies/10 || far < copies/10 {
		t.Errorf("of %d copies %d are near and %d far", copies, near, far)
	}
}

// jaccard compares two texts by the shingles of the default.
func jaccard(a, b string) float64 {
	left, right, both := shingles(a), shingles(b), 0
	for s := range left {
		if right[s] {
			both++
		}
	}
	return float64(both) / float64(len(left)+len(right)-both)
}

func shingles(text string) map[string]bool {
	all, set := strings.Fields(strings.ToLower(text)), map[string]bool{}
	for i := range len(all) - 4 {
		set[strings.Join(all[i:i+5], " ")] = true
	}
	return set
}

func TestJudge(t *testing.T) {
	const records = 1000
	var flags strings.Builder
	for number := range uint64(records) {
		kept := recordOf(number).kind == original
		switch number {
		case 500: // an original
			kept = false
		case 509: // a copy
			kept = true
		}
		flags.WriteString(map[bool]string{true: "1\n", false: "0\n"}[kept])
	}
	got, err := judge(strings.NewReader(flags.String()), records)
	if err != nil {
		t.Fatal(err)
	}
	if got.wrong() != 1 || got.records[original] != 900 {
		t.Errorf("%d of %d originals removed, not 1 of 900", got.wrong(), got.records[original])
	}
	missed := uint64(0)
	for k := equal; k < kinds; k++ {
		missed += got.missed(k)
	}
	if missed != 1 || got.missed(recordOf(509).kind) != 1 {
		t.Errorf("%d copies missed, not 1", missed)
	}
	for name, bad := range map[string]string{
		"too few": flags.String()[:1000], "too many": flags.String() + "1\n", "cut": flags.String()[:1999],
		"another": "2\n" + flags.String()[2:],
	} {
		if _, err := judge(strings.NewReader(bad), records); err == nil {
			t.Errorf("%s flags are no error", name)
		}
	}
}
