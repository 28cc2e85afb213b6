package tlsh

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// A vector is a line of testdata/vectors.jsonl, which testdata/generate.py describes and makes by
// the reference implementation.
type vector struct {
	Seed, Length, Kinds, Changed int
	Digest                       string
	Distance                     *int
}

func (v vector) data() []byte {
	head, tail := part(v.Seed+1, v.Kinds, v.Changed), part(v.Seed, v.Kinds, v.Length)
	return append(head, tail[min(v.Changed, len(tail)):]...)[:v.Length]
}

func part(seed, kinds, length int) (out []byte) {
	state := uint64(seed)
	for range length {
		state += 0x9e3779b97f4a7c15
		z := (state ^ state>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		out = append(out, byte(int(byte(z^z>>31))%kinds+32))
	}
	return out
}

func vectors(t *testing.T) (list []vector) {
	file, err := os.Open("testdata/vectors.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var v vector
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		list = append(list, v)
	}
	return list
}

func TestDigestsAndDistancesOfTheReference(t *testing.T) {
	digests, distances := 0, 0
	var before Digest
	for i, v := range vectors(t) {
		d, ok := Sum(v.data())
		if ok != (v.Digest != "") || ok && d.String() != v.Digest {
			t.Fatalf("line %d: %+v: %s, %v", i+1, v, d, ok)
		}
		if ok {
			digests++
			if parsed, err := Parse(v.Digest); err != nil || parsed != d {
				t.Fatalf("line %d: %s becomes %+v (%v)", i+1, v.Digest, parsed, err)
			}
		}
		if v.Distance != nil {
			distances++
			if got := Distance(before, d); got != *v.Distance || Distance(d, before) != got || Distance(d, d) != 0 {
				t.Fatalf("line %d: distance %d, want %d", i+1, got, *v.Distance)
			}
		}
		before = d
	}
	if digests < 150 || distances < 140 {
		t.Errorf("%d digests, %d distances", digests, distances)
	}
}

// The last length of a step, and which step it is, in the reference's table.
func TestStepsOfLengths(t *testing.T) {
	for last, step := range map[int]byte{57: 9, 656: 15, 854: 16, 3171: 21, 3475: 22, 190335: 64, 543050: 75,
		1280486: 84, 1549388: 86, 5348905: 99, 93335252: 129} {
		if got := lengthOf(last); got != step {
			t.Errorf("length %d: step %d, want %d", last, got, step)
		}
		if got := lengthOf(last + 1); got != step+1 {
			t.Errorf("length %d: step %d, want %d", last+1, got, step+1)
		}
	}
}

func TestWhatIsNoDigest(t *testing.T) {
	for _, text := range []string{"", "T1", strings.Repeat("0", hexLength), "T1" + strings.Repeat("0", hexLength),
		"T1" + strings.Repeat("x", hexLength-2)} {
		if _, err := Parse(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

func TestNoAllocations(t *testing.T) {
	text := part(1, 60, 2048)
	if n := testing.AllocsPerRun(10, func() { Sum(text) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkSum(b *testing.B) {
	text := part(1, 60, 2048)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for range b.N {
		Sum(text)
	}
}

func BenchmarkDistance(b *testing.B) {
	x, _ := Sum(part(1, 60, 2048))
	y, _ := Sum(part(2, 60, 2048))
	for range b.N {
		Distance(x, y)
	}
}
