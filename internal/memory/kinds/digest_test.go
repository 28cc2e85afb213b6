package kinds

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	_ "github.com/mithril-stream/mithril-stream/internal/fixedseed"
	"github.com/mithril-stream/mithril-stream/internal/memory/signatures"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/stream"
)

var ordinary = signatures.Params{NumPerm: 16, Bands: 4, Rows: 4, Votes: 2, Threshold: .7}

// sketchOf is the sketch of all records of a kind.
func sketchOf(kind int) []uint64 {
	rng := rand.New(rand.NewPCG(1, uint64(kind)))
	words := make([]uint64, ordinary.SketchWords())
	for i := range words {
		words[i] = rng.Uint64()
	}
	return words
}

// plain writes what is said as text that a test can compare.
func plain(dst []byte, kept Kept, again Again) []byte {
	return fmt.Appendf(dst, "%s+%d:%d-%d\n", kept.Record, again.Count, again.First, again.Last)
}

// A message is a record of a test: without a kind it has no sketch.
type message struct {
	kind int
	at   int64
}

// written runs messages, named by their number, through a digest in batches of some size. The clock
// stands at the time of the first message of a batch.
func written(t *rapid.T, r Rule, messages []message, size int) []byte {
	clock := int64(0)
	if len(messages) > 0 {
		clock = messages[0].at
	}
	d, err := NewDigest(ordinary, r, plain, func() time.Time { return time.Unix(clock, 0) })
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	var out []byte
	number := 0
	for part := range slices.Chunk(messages, size) {
		var b stream.Batch
		for _, m := range part {
			if m.kind > 0 {
				b.Words = append(b.Words, sketchOf(m.kind)...)
				b.Times = append(b.Times, m.at)
			}
			b.Ends, b.Problems = append(b.Ends, len(b.Words)), append(b.Problems, record.Problem{})
		}
		clock = part[0].at
		verdicts := make([]stream.Verdict, len(part))
		if _, err := d.Judge().Decide(b, verdicts); err != nil {
			t.Fatal(err)
		}
		for _, v := range verdicts {
			name := fmt.Sprint("#", number)
			number++
			out = d.Before(out, []byte(name))
			if !v.Duplicate {
				out = fmt.Appendln(out, name)
			}
		}
	}
	return d.End(out)
}

// defined is what is written, as the rule says it in words, without a bound of kinds.
func defined(r Rule, messages []message) (out []byte) {
	type state struct {
		kept             string
		seen, window     int64
		passed           int
		count            int
		first, last      int64
		known, isPending bool
	}
	kinds := map[int]*state{}
	var order []*state
	at, interval := int64(-1<<62), int64(-1<<62)
	floor := func(n int64, d time.Duration) int64 {
		s := int64(d / time.Second)
		return (n - ((n%s)+s)%s) / s
	}
	tell := func() {
		for _, k := range order {
			out = fmt.Appendf(out, "%s+%d:%d-%d\n", k.kept, k.count, k.first, k.last)
			k.count, k.isPending = 0, false
		}
		order = nil
	}
	for i, m := range messages {
		name := fmt.Sprint("#", i)
		if m.kind == 0 {
			out = fmt.Appendln(out, name)
			continue
		}
		at = max(at, m.at)
		if r.Every > 0 && floor(at, r.Every) > interval {
			tell()
			interval = floor(at, r.Every)
		}
		k := kinds[m.kind]
		if k == nil || r.ForgetAfter > 0 && at-k.seen > int64(r.ForgetAfter/time.Second) {
			if k == nil {
				k = &state{}
				kinds[m.kind] = k
			}
			k.known, k.passed = false, 0
		}
		k.seen = at
		passes := !k.known
		if r.Pass > 0 {
			if w := floor(at, r.PassEvery); w != k.window {
				k.window, k.passed = w, 0
			}
			passes = k.passed < r.Pass
		}
		k.known = true
		if passes {
			k.passed++
			k.kept = name
			out = fmt.Appendln(out, name)
			continue
		}
		if r.Every == 0 {
			continue
		}
		if !k.isPending {
			k.isPending, k.first = true, at
			order = append(order, k)
		}
		k.count++
		k.last = at
	}
	tell()
	return out
}

func drawMessages(t *rapid.T) (messages []message) {
	kinds := rapid.IntRange(1, 12).Draw(t, "kinds")
	at := rapid.Int64Range(-50, 50).Draw(t, "first second")
	for range rapid.IntRange(0, 80).Draw(t, "messages") {
		messages = append(messages, message{rapid.IntRange(0, kinds).Draw(t, "kind"), at})
		at += rapid.SampledFrom([]int64{0, 0, 0, 1, 2, 7, 40, -3}).Draw(t, "seconds")
	}
	return messages
}

func drawRule(t *rapid.T) Rule {
	return Rule{
		MaxKinds: 1000, Timed: true,
		Every:       time.Duration(rapid.SampledFrom([]int{0, 1, 5, 10, 60}).Draw(t, "every")) * time.Second,
		Pass:        rapid.IntRange(0, 3).Draw(t, "pass"),
		PassEvery:   time.Duration(rapid.IntRange(1, 20).Draw(t, "pass every")) * time.Second,
		ForgetAfter: time.Duration(rapid.SampledFrom([]int{0, 1, 10, 30}).Draw(t, "forget after")) * time.Second,
	}
}

// By the times of records a digest says what its definition says, however they come (I2).
func TestDigestIsItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, messages := drawRule(t), drawMessages(t)
		want := defined(r, messages)
		for _, size := range []int{1, 3, 1000} {
			if got := written(t, r, messages, size); !bytes.Equal(got, want) {
				t.Fatalf("batches of %d:\n%s\nwant\n%s", size, got, want)
			}
		}
	})
}

// All records are accounted for, however few kinds are remembered and whatever says the time.
func TestDigestLosesNoCount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, messages := drawRule(t), drawMessages(t)
		r.Every = max(r.Every, time.Second)
		r.MaxKinds = rapid.IntRange(2, 8).Draw(t, "most")
		r.Timed = rapid.Bool().Draw(t, "timed")
		out := written(t, r, messages, rapid.IntRange(1, 9).Draw(t, "batch"))
		sum := 0
		for line := range bytes.Lines(out) {
			var kept, count, first, last int
			if n, _ := fmt.Sscanf(string(line), "#%d+%d:%d-%d", &kept, &count, &first, &last); n < 2 {
				count = 1
			} else if count < 1 || first > last || !bytes.Contains(out, fmt.Appendf(nil, "#%d\n", kept)) {
				t.Fatalf("%q in\n%s", line, out)
			}
			sum += count
		}
		if sum != len(messages) {
			t.Fatalf("%d of %d records:\n%s", sum, len(messages), out)
		}
	})
}

// The clock says what is due although nothing comes.
func TestDigestByTheClock(t *testing.T) {
	now := time.Unix(1000, 500e6)
	d, err := NewDigest(ordinary, Rule{MaxKinds: 10, Every: 10 * time.Second}, plain, func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	judge := func() (out []byte) {
		b := stream.Batch{Words: sketchOf(1), Ends: []int{ordinary.SketchWords()}, Problems: make([]record.Problem, 1)}
		if _, err := d.Judge().Decide(b, make([]stream.Verdict, 1)); err != nil {
			t.Fatal(err)
		}
		return d.Before(nil, []byte("x"))
	}
	judge()
	now = now.Add(2 * time.Second)
	judge()
	for _, c := range []struct {
		after time.Duration
		want  string
	}{{7 * time.Second, ""}, {time.Second, "x+1:1002-1002\n"}, {10 * time.Second, ""}} {
		now = now.Add(c.after)
		if got := string(d.Due(nil)); got != c.want {
			t.Errorf("after %v: %q, want %q", c.after, got, c.want)
		}
	}
	if d.Ticks() == nil {
		t.Error("there is no tick")
	}
	judge()
	now = now.Add(time.Hour)
	if got := string(judge()); got != "x+1:1020-1020\n" {
		t.Errorf("before the next record: %q", got)
	}
}

// Forms say the same of a record that is remembered whole, and of one that is not.
func TestForms(t *testing.T) {
	again := Again{Count: 12, First: 1000, Last: 1009}
	const times = "1970-01-01T00:16:40Z to 1970-01-01T00:16:49Z"
	long := bytes.Repeat([]byte("é"), MostKept/2)
	for _, c := range []struct {
		form Form
		kept Kept
		want string
	}{
		{Lines("\n"), Kept{Record: []byte("a b\r")}, "a b (12 more, " + times + ")\n"},
		{Lines("\x00"), Kept{Record: []byte("a"), IsCut: true}, "a … (12 more, " + times + ")\x00"},
		{Objects, Kept{Record: []byte(`{"a":1 }`)}, `{"a":1 ,"mithril_again":{"count":12,` +
			`"first":"1970-01-01T00:16:40Z","last":"1970-01-01T00:16:49Z"}}` + "\n"},
	} {
		if got := string(c.form(nil, c.kept, again)); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	cut := Objects(nil, Kept{Record: append([]byte(`{"a":"`), long...)[:MostKept], IsCut: true}, again)
	var of struct {
		Again struct {
			Begins string
			Count  int
		} `json:"mithril_again"`
	}
	if err := json.Unmarshal(cut, &of); err != nil || of.Again.Count != 12 || len(of.Again.Begins) < 190 {
		t.Errorf("%s: %v", cut, err)
	}
}
