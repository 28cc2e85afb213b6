package jsontext

import (
	"bytes"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
)

// unescapeByByte is what copyUnescaped does, a byte at a time, to the end of from.
func unescapeByByte(from []byte) (to []byte, read int, stopped bool) {
	for read < len(from) {
		c := from[read]
		switch {
		case c == '"' || c < 0x20:
			return to, read, true
		case c != '\\':
			to = append(to, c)
			read++
		case read+1 == len(from):
			return to, read, false
		case unescaped[from[read+1]] == 0:
			return to, read, true
		default:
			to = append(to, unescaped[from[read+1]])
			read += 2
		}
	}
	return to, read, false
}

// Wherever escapes and the end stand, to the edges of whatever is done at once: the same text, and
// not a byte after the room that there is.
func TestCopyUnescaped(t *testing.T) { eachWay(t, testCopyUnescaped) }

func testCopyUnescaped(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const guard = 0xaa
	for round := range 60_000 {
		size := rng.IntN(700)
		density := []int{2, 5, 35, 300}[round%4]
		from := make([]byte, 0, size+12)
		for len(from) < size {
			switch {
			case rng.IntN(density) > 0:
				from = append(from, "a b\x7f\x80\xff[z"[rng.IntN(8)])
			case round%5 == 0 && rng.IntN(20) == 0:
				from = append(from, bytes.Repeat([]byte{'\\'}, rng.IntN(150))...)
			case round%3 == 0 && rng.IntN(8) == 0:
				from = append(from, "\"\x00\x1f\n\\u\\x\\\xff"[rng.IntN(9)])
			default:
				from = append(from, '\\', `"\/bfnrt`[rng.IntN(8)])
			}
		}
		from = from[:len(from):len(from)]
		room := bytes.Repeat([]byte{guard}, len(from)+64)
		written, read, stopped := copyUnescaped(room[:len(from)], from)

		want, end, stops := unescapeByByte(from)
		if stopped != stops && stopped || stopped && read != end || read > end {
			t.Fatalf("%q: stopped at %d, %v, want %d, %v", from, read, stopped, end, stops)
		}
		if !stopped && len(from)-read > 9 {
			t.Fatalf("%q: gave up at %d", from, read)
		}
		part, _, _ := unescapeByByte(from[:read])
		if !bytes.Equal(room[:written], part) || !bytes.HasPrefix(want, part) {
			t.Fatalf("%q: %q, want %q", from, room[:written], part)
		}
		if rest := room[len(from):]; bytes.Count(rest, []byte{guard}) < len(rest) {
			t.Fatalf("%d bytes: written after them", len(from))
		}
	}
}

// The first special byte is found wherever it stands, and none where there is none, to the edges of
// whatever is looked at at once.
func TestAppendUnquoted(t *testing.T) {
	for _, c := range []struct{ value, want string }{
		{`""`, ""}, {`"one"`, "one"}, {`"\"\u00e9\ud83d\ude00\ud800\n"`, "\"é😀\ufffd\n"}, {"\"a\xff\"", "a\xff"},
		{`"one" `, ""}, {`"one`, ""}, {`"\x"`, ""}, {"\"\n\"", ""},
	} {
		for _, before := range [][]byte{nil, []byte("before"), append(make([]byte, 0, 100), "before"...)} {
			if got := AppendUnquoted(before, []byte(c.value)); string(got) != string(before)+c.want {
				t.Errorf("%s behind %q: %q, want %q", c.value, before, got, c.want)
			}
		}
	}
}

func TestPlainEnd(t *testing.T) { eachWay(t, testPlainEnd) }

func testPlainEnd(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	specials := "\"\\\x00\x01\n\x1f"
	for round := range 60_000 {
		src := make([]byte, rng.IntN(400))
		for i := range src {
			src[i] = " !#[]a~\x7f\x80\xa2\xdc\xff"[rng.IntN(12)]
		}
		from, want := rng.IntN(len(src)+1), len(src)
		if round%4 > 0 && from < len(src) {
			want = from + rng.IntN(len(src)-from)
			for i := range src {
				if i == want || (i < from || i > want) && rng.IntN(3) == 0 {
					src[i] = specials[rng.IntN(len(specials))]
				}
			}
		}
		if got := plainEnd(src, from); got != want {
			t.Fatalf("%q from %d: got %d, want %d", src, from, got, want)
		}
	}
}

// A long text is not copied again and again while the memory for it grows.
func TestLongTextsTakeLittleMoreThanTheirSize(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	lines, escapes := strings.Repeat(`a line of thirty bytes or so\n`, 100_000), strings.Repeat(`\u4e2d\n`, 400_000)
	for name, c := range map[string]struct {
		string string
		most   float64 // bytes for each of the text
	}{"lines": {lines, 1.3}, "escapes": {escapes, 1.3}, "lines, escapes": {lines + escapes, 2.5},
		"escapes, lines": {escapes + lines, 3}} {
		src := []byte(`"` + c.string + `", "more": "` + lines + lines + `"`)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var scratch []byte
		text, end := Unquote(&scratch, src, 0)
		runtime.ReadMemStats(&after)
		if end != len(c.string)+2 {
			t.Errorf("%s: the text ends at %d of %d", name, end, len(c.string))
		}
		if taken := after.TotalAlloc - before.TotalAlloc; float64(taken) > c.most*float64(len(text)) {
			t.Errorf("%s: %d bytes were taken for a text of %d", name, taken, len(text))
		}
	}
}
