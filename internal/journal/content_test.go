package journal

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/stream"
	"pgregory.net/rapid"
)

// drawLines returns lines of various lengths, often the same ones.
func drawLines(t *rapid.T, label string) string {
	var b strings.Builder
	for range rapid.IntRange(0, 200).Draw(t, label) {
		b.WriteString(rapid.SampledFrom([]string{"a", "bb", "ccc", strings.Repeat("long ", 60)}).Draw(t, "line") + "\n")
	}
	return b.String()
}

// contentOf returns the content of inputs.
func contentOf(separator string, inputs ...string) *Content {
	h := NewHasher(separator)
	for i, in := range inputs {
		if i > 0 {
			h.Write([]byte(h.Between()))
		}
		h.Write([]byte(in))
	}
	return h.Content()
}

// TestMatcherEqualsComparison checks that a Matcher finds what comparing all bytes would find,
// however they are split, and asks for no more bytes than necessary.
func TestMatcherEqualsComparison(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		long := drawLines(t, "lines")
		texts := []string{drawLines(t, "others")}
		for range rapid.IntRange(1, 4).Draw(t, "earlier runs") {
			cut := rapid.IntRange(0, len(long)).Draw(t, "cut")
			texts = append(texts, long[:cut]+rapid.SampledFrom([]string{"", "x", "\n"}).Draw(t, "end"))
		}
		texts = append(texts, long)
		now := rapid.SampledFrom(texts).Draw(t, "now")
		var known []*Content
		for _, text := range texts {
			known = append(known, contentOf("\n", text))
		}
		known = append(known, nil)
		m := NewMatcher("\n", known)
		rest := []byte(now)
		for len(rest) > 0 && m.Undecided() {
			n := rapid.IntRange(1, len(rest)).Draw(t, "read")
			m.Write(rest[:n])
			rest = rest[n:]
		}
		for i, text := range texts {
			if same := len(rest) == 0 && m.Same(i); same != (text == now) {
				t.Fatalf("%q is %q: %t", now, text, same)
			}
			begins := strings.HasPrefix(now, text) && len(text) < len(now)
			b := m.Prefix(i)
			if (b != nil) != begins {
				t.Fatalf("%q begins with %q: %v", now, text, b)
			}
			whole := text == "" || strings.HasSuffix(text, "\n") || begins && now[len(text)] == '\n'
			if begins && b.Whole != whole {
				t.Fatalf("after %q a record ends in %q: %t", text, now, b.Whole)
			}
		}
	})
}

// TestInputsOfLinesMayBeJoined checks that lines match whether they are in one file or several,
// while other formats have a boundary between inputs.
func TestInputsOfLinesMayBeJoined(t *testing.T) {
	one, two := contentOf("\n", "a\nb\nc\n"), contentOf("\n", "a\nb", "c\n")
	if one.Hash != two.Hash || one.Bytes != two.Bytes {
		t.Errorf("%+v and %+v differ", one, two)
	}
	if one, two := contentOf("", "a\nb\nc\n"), contentOf("", "a\nb\n", "c\n"); one.Hash == two.Hash {
		t.Error("inputs whose borders matter are the same")
	}
	m := NewMatcher("", []*Content{contentOf("", "[1]")})
	m.Write([]byte("[1]"))
	m.Next()
	m.Write([]byte("[2]"))
	if b := m.Prefix(0); b == nil || !b.Whole {
		t.Errorf("another file after that of the run: %v", b)
	}
}

// TestContentIsSmall checks that a content consists of few hashes and no bytes.
func TestContentIsSmall(t *testing.T) {
	h := NewHasher("\n")
	part := bytes.Repeat([]byte("secret words\n"), 1<<12)
	for h.content.Bytes < 64<<20 {
		h.Write(part)
	}
	c := h.Content()
	if len(c.Marks) > 40 || len(c.Marks) < 20 || !c.Whole {
		t.Errorf("%d marks of %d bytes, whole: %t", len(c.Marks), c.Bytes, c.Whole)
	}
}

// TestContinuation checks that an input that has grown gets the same verdicts as before for its old
// part and new verdicts from there on. A record that was cut off is judged again, and kept if its
// beginning was kept.
func TestContinuation(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s, kept := draw(rt), drawDetails(rt)
		j, run := recorded(rt, t.TempDir(), s, kept)
		whole := rapid.Bool().Draw(rt, "whole")
		torn := !whole && run.Records > 0 && rapid.Bool().Draw(rt, "torn")
		more := draw(rt)
		batches, want := slices.Clone(s.batches), slices.Clone(s.verdicts)
		next := &teller{script: more}
		if torn {
			last := len(batches) - 1
			for batches[last].Len() == 0 {
				last--
			}
			b := batches[last]
			b.Words, b.Ends, b.Problems = slices.Clone(b.Words), slices.Clone(b.Ends), slices.Clone(b.Problems)
			n := b.Len() - 1
			if len(b.Sketch(n)) > 0 {
				b.Words[len(b.Words)-1] ^= 1 << 40
			} else {
				b.Words = append(b.Words, 1, 2)
				b.Ends[n], b.Problems[n] = len(b.Words), record.Problem{}
			}
			batches = append(slices.Clone(batches[:last]), b)
			judged := rapid.Bool().Draw(rt, "judged a duplicate")
			wasKept := !want[run.Records-1].Duplicate
			next.script = &script{verdicts: append([]stream.Verdict{{Duplicate: judged}}, more.verdicts...)}
			want[run.Records-1] = stream.Verdict{Duplicate: judged && !wasKept}
		}
		c, err := j.Continue(run, whole, next.judge())
		must(rt, err)
		defer c.Close()
		got := judgeAll(rt, c.Judge(), append(batches, more.batches...))
		want = append(want, more.verdicts...)
		for i := range got {
			if got[i].Duplicate != want[i].Duplicate {
				rt.Fatalf("record %d of %d and %d: %+v, want %+v", i, run.Records, len(more.verdicts), got[i], want[i])
			}
		}
		must(rt, c.End())
		again := run.Records
		if torn {
			again--
		}
		if c.Again() != again || c.Replaying() {
			rt.Fatalf("%d of %d records were decided as then", c.Again(), again)
		}
	})
}
