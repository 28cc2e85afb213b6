package compress

import (
	"bytes"
	"runtime"
	"testing"

	"pgregory.net/rapid"
)

// TestWritersAreRead writes members of any sizes and reads them back; the result depends on
// contents and members alone, and is whole after each of them.
func TestWritersAreRead(t *testing.T) {
	text := bytes.Repeat(sample(), 8) // more than one block for a core
	rapid.Check(t, func(rt *rapid.T) {
		m := rapid.SampledFrom([]Method{{"gzip", 0}, {"gzip", 1}, {"zstd", 0}, {"zstd", 1}}).Draw(rt, "method")
		members := rapid.SliceOfN(rapid.IntRange(0, len(text)), 0, 3).Draw(rt, "members")
		write := func(size int) (data []byte, ends []int) {
			var b bytes.Buffer
			w, err := NewWriter(&b, m, 3, false)
			if err != nil {
				rt.Fatal(err)
			}
			for _, length := range members {
				for rest := text[:length]; len(rest) > 0; rest = rest[min(size, len(rest)):] {
					if _, err := w.Write(rest[:min(size, len(rest))]); err != nil {
						rt.Fatal(err)
					}
				}
				if err := w.End(); err != nil {
					rt.Fatal(err)
				}
				ends = append(ends, b.Len())
			}
			if err := w.End(); err != nil {
				rt.Fatal(err)
			}
			return b.Bytes(), ends
		}
		one, ends := write(rapid.IntRange(1000, len(text)).Draw(rt, "size"))
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
		other, _ := write(rapid.IntRange(1000, len(text)).Draw(rt, "another size"))
		if !bytes.Equal(one, other) {
			rt.Fatalf("%v: %d and %d bytes, according to the sizes of writes", m, len(one), len(other))
		}
		var want []byte
		for i, length := range members {
			want = append(want, text[:length]...)
			if got, err := readAll(bytes.NewReader(one[:ends[i]]), ""); err != nil || !bytes.Equal(got, want) {
				rt.Fatalf("%v, cut after member %d: %d bytes of %d, %v", m, i, len(got), len(want), err)
			}
		}
		if len(one) == 0 {
			rt.Fatalf("%v: nothing is not a stream", m)
		}
		if len(members) == 0 {
			if got, err := readAll(bytes.NewReader(one), "x.gz"); err != nil || len(got) != 0 {
				rt.Fatalf("%v: nothing becomes %q, %v", m, got, err)
			}
		}
	})
}

func TestAStreamGoesOn(t *testing.T) {
	var b bytes.Buffer
	w, err := NewWriter(&b, Method{Format: "zstd"}, 1, true)
	if err != nil || w.End() != nil || b.Len() != 0 {
		t.Errorf("%v: %d bytes were added to a stream that was whole", err, b.Len())
	}
}

func TestMethods(t *testing.T) {
	for _, c := range []struct {
		m    Method
		want string
	}{
		{Method{"gzip", 9}, ""}, {Method{"zstd", 22}, ""}, {Method{"zstd", 0}, ""},
		{Method{"gzip", 10}, "gzip has levels 1 to 9, not 10"},
		{Method{"lz4", 0}, `compression "lz4" is not known: use gzip or zstd`},
	} {
		if err := c.m.Check(); err == nil && c.want != "" || err != nil && err.Error() != c.want {
			t.Errorf("%+v: %v", c.m, err)
		}
	}
	if m, err := ByName("a/b.jsonl.ZST"); err != nil || m.Format != "zstd" {
		t.Errorf("%v, %v", m, err)
	}
	if _, err := ByName("x.bz2"); err == nil {
		t.Error("bzip2 cannot be written")
	}
}
