package report

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// TestBuckets: whatever the length, the parts are bounded, equally long but for the last one, and
// have all records.
func TestBuckets(t *testing.T) {
	for _, n := range []int{1, maxBuckets, maxBuckets + 1, 5*maxBuckets + 7, 100_003} {
		var b buckets
		for i := range n {
			b.add(i%3 == 0)
		}
		var records, removed uint64
		for i, bucket := range b.list {
			if bucket.First != records+1 || i < len(b.list)-1 && bucket.Records != b.width {
				t.Fatalf("%d records: part %d is %+v after %d records, width %d", n, i, bucket, records, b.width)
			}
			records, removed = records+bucket.Records, removed+bucket.Removed
		}
		if records != uint64(n) || removed != uint64((n+2)/3) || len(b.list) > maxBuckets {
			t.Errorf("%d records: %d parts have %d, %d removed", n, len(b.list), records, removed)
		}
	}
}

// TestTally: values beyond those that are told apart are counted together, and no record is lost.
// Those of which the most were removed come first, however many others there are.
func TestTally(t *testing.T) {
	var y tally
	for i := range 3 * maxValues {
		y.add(fmt.Appendf(nil, `"v%d"`, i), false)
		y.add([]byte(`"often"`), false)
		y.add(fmt.Appendf(nil, `"removed %d"`, i%15), i%2 == 0)
	}
	table := y.table("field", valueOf)
	records, removed := table.Other.Records, table.Other.Removed
	for i, row := range table.Rows {
		records, removed = records+row.Records, removed+row.Removed
		if !strings.HasPrefix(row.Value, "removed ") || i > 0 && row.Removed > table.Rows[i-1].Removed {
			t.Errorf("row %d is %+v", i, row)
		}
	}
	if records != 9*maxValues || removed != 3*maxValues/2 {
		t.Errorf("the table has %d records, %d removed", records, removed)
	}
	if len(table.Rows) != 15 || !table.Untold || table.Others != maxValues-15 || table.Other.Removed != 0 {
		t.Errorf("%d rows, %d others, untold %t", len(table.Rows), table.Others, table.Untold)
	}

	var few, many tally
	for i := range 2 * shownRows {
		few.add(fmt.Appendf(nil, "%d", i%fewRows), false)
		many.add(fmt.Appendf(nil, "%d", i), true)
	}
	if rows := few.table("field", valueOf).Rows; len(rows) != fewRows {
		t.Errorf("of %d values of which nothing was removed, %d are shown", fewRows, len(rows))
	}
	if table := many.table("field", valueOf); len(table.Rows) != shownRows || table.Others != shownRows ||
		table.Other.Removed != shownRows {
		t.Errorf("%d rows, and %+v of others", len(table.Rows), table.Other)
	}
}

// TestRecent compares the ring with all texts.
func TestRecent(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	var r recent
	texts := map[uint64][]byte{}
	const first = 1000
	for i := range uint64(20_000) {
		text := bytes.Repeat([]byte{byte(i), byte(i >> 8)}, random.IntN(Excerpt/2+1))
		r.add(first+i, text)
		texts[first+i] = text
	}
	kept := 0
	for number, want := range texts {
		if text, found := r.find(number); found {
			kept += len(text)
			if !bytes.Equal(text, want) {
				t.Fatalf("record %d has another text", number)
			}
		}
	}
	if kept > recentBytes || kept < recentBytes-2*Excerpt {
		t.Errorf("%d bytes of texts are kept", kept)
	}
	if _, found := r.find(first - 1); found {
		t.Error("a record of before is found")
	}
	if _, found := r.find(first + 20_000); found {
		t.Error("a record of later is found")
	}
}

func TestReadable(t *testing.T) {
	for text, want := range map[string]string{
		"a\r\nb\tc":     "a\nb\tc",
		"a\x00b\x1bc":   "a\uFFFDb\uFFFDc",
		"a\xffb":        "a\uFFFDb",
		"half \xe6\xb2": "half ",
		"河":             "河",
		"\x80":          "\uFFFD",
		"":              "",
	} {
		if got := readable([]byte(text)); got != want || !utf8.ValidString(got) {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestGroups(t *testing.T) {
	var l links
	for _, pair := range [][2]uint64{{2, 1}, {3, 2}, {4, 3}, {6, 5}, {8, 1}} { // 1, 2, 3, 4, 8 and 5, 6
		l.add(pair[0], pair[1])
	}
	got := l.summary()
	want := []Size{{2, 2, 1, 2}, {5, 8, 1, 5}}
	if !slices.Equal(got.Rows, want) || got.Largest != 5 || got.Counted != 5 || got.Limited {
		t.Errorf("%+v", got)
	}
}

// collected is what a collector makes of n records, of which each second one is removed.
func collected(n int) Run {
	c := Collector{Threshold: .8, Originals: true}
	random := rand.New(rand.NewPCG(3, 3))
	for i := range n {
		r := Record{Number: uint64(i + 1), Input: "in", At: uint64(i + 1), Text: fmt.Appendf(nil, "text %d", i)}
		if i%2 == 1 {
			r.Removed, r.Original, r.Similarity = true, uint64(i), .8+random.Float64()/5
			if i%10 == 1 {
				r.Original = 1 // a large group
			}
		}
		c.Add(&r)
	}
	run := Run{Similar: Histogram{Source: "made up"}}
	c.Fill(&run, func(n uint64) string { return fmt.Sprintf("record %d", n) })
	return run
}

// TestExamples: the rules are kept, and the same records give the same page.
func TestExamples(t *testing.T) {
	run := collected(20_000)
	if len(run.Examples) != shownExamples {
		t.Fatalf("%d examples", len(run.Examples))
	}
	nearest := limits[closest]
	shown, reasons := map[string]bool{}, map[string]int{}
	for i, e := range run.Examples {
		reasons[e.Reason]++
		if shown[e.Name] {
			t.Errorf("%s is shown twice", e.Name)
		}
		shown[e.Name] = true
		if (i < nearest) != (e.Reason == "closest to the threshold") {
			t.Errorf("example %d is there for %q", i, e.Reason)
		}
		if i > 0 && i < nearest && e.Similarity < run.Examples[i-1].Similarity {
			t.Errorf("example %d is nearer than the one before", i)
		}
		if e.Missing != "" || e.Original == "" || len(e.Earlier) == 0 {
			t.Errorf("example %d has no original: %+v", i, e)
		}
	}
	if e := run.Examples[nearest]; e.Original != "record 1" || e.Group != 2001 {
		t.Errorf("the largest group is not shown: %+v", e)
	}
	far := slices.IndexFunc(run.Examples, func(e Example) bool { return e.Reason == whys[farthest] })
	for _, e := range run.Examples[far+limits[farthest]:] {
		if e.Similarity > run.Examples[far].Similarity {
			t.Errorf("%.4f is farther from the threshold than %.4f", e.Similarity, run.Examples[far].Similarity)
		}
	}
	if reasons[whys[farthest]] != limits[farthest] || reasons[whys[random]] == 0 || reasons[whys[sourced]] > 0 {
		t.Errorf("shown for these reasons, of one source: %v", reasons)
	}
	var total uint64
	for _, n := range run.Similar.Bins {
		total += n
	}
	if total != 10_000 || run.Similar.Unknown != 0 || run.Similar.Source != "made up" {
		t.Errorf("%d similarities, %d unknown", total, run.Similar.Unknown)
	}
	var first, second bytes.Buffer
	again := collected(20_000)
	if err := run.Write(&first); err != nil {
		t.Fatal(err)
	}
	if err := again.Write(&second); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("the same records give another page")
	}
}

// TestSources: however many records of one source are removed, others are shown too.
func TestSources(t *testing.T) {
	c := Collector{Threshold: .8, Originals: true, Fields: []string{"lang"}}
	for i := range uint64(20_000) {
		r := Record{Number: i + 1, Input: "in", At: i + 1, Text: []byte("x"), Fields: [][]byte{[]byte(`"en"`)}}
		if i > 0 {
			r.Removed, r.Original, r.Similarity = true, 1, .9
		}
		if i%5000 == 4999 {
			r.Fields[0] = fmt.Appendf(nil, `"rare %d"`, i/5000)
		}
		c.Add(&r)
	}
	var run Run
	c.Fill(&run, nil)
	for i := range 4 {
		name := fmt.Sprintf("rare %d", i)
		if !slices.ContainsFunc(run.Examples, func(e Example) bool { return e.Source == name }) {
			t.Errorf("no record of %q is shown", name)
		}
	}
	if !strings.Contains(run.Rule, "sources") || len(run.Examples) != shownExamples {
		t.Errorf("%d are shown: %s", len(run.Examples), run.Rule)
	}
}

// TestVerdict: the top of a page says what to do, when it was made, and by what.
func TestVerdict(t *testing.T) {
	ended := time.Date(2026, 11, 27, 1, 2, 3, 0, time.UTC)
	for _, c := range []struct {
		verdict Verdict
		has     []string
	}{
		{Verdict{Next: []string{"<next>"}}, []string{"Nothing looks wrong", "<li>&lt;next&gt;</li>", `class="verdict"`}},
		{Verdict{Doubts: []Doubt{{"<says>", "<try>"}}, Next: []string{"never"}},
			[]string{"Look again", "&lt;says&gt;. <b>What to do: &lt;try&gt;.</b>", `class="verdict doubtful"`}},
	} {
		run := collected(100)
		run.Verdict = &c.verdict
		run.Origin = Origin{Command: "mithril-stream <file>", Version: "v9", Ended: ended}
		var page strings.Builder
		if err := run.Write(&page); err != nil {
			t.Fatal(err)
		}
		for _, want := range append(c.has, "mithril-stream &lt;file&gt;", "v9", "27 November 2026, 01:02 UTC") {
			if !strings.Contains(page.String(), want) {
				t.Errorf("the page lacks %s", want)
			}
		}
		if strings.Contains(page.String(), "never") {
			t.Error("the page says what to do next though something looks wrong")
		}
	}
}

// TestNoOriginals: without originals a record stands alone, and it is said why.
func TestNoOriginals(t *testing.T) {
	var c Collector
	for i := range 3 {
		c.Add(&Record{Number: uint64(i + 1), Input: "in", At: uint64(i + 1), Text: []byte("x"), Removed: i > 0})
	}
	var run Run
	c.Fill(&run, nil)
	var page bytes.Buffer
	if err := run.Write(&page); err != nil {
		t.Fatal(err)
	}
	if run.Rule != "all of them" {
		t.Errorf("of two removed records these are shown: %s", run.Rule)
	}
	if len(run.Examples) != 2 || run.Examples[0].Original != "" || run.Examples[0].Missing == "" {
		t.Errorf("%+v", run.Examples)
	}
	if !strings.Contains(page.String(), "--memory exact does") || strings.Contains(page.String(), "Earlier:") {
		t.Error("the page does not say that originals are not known")
	}
}

// TestPolicy: the page has the two scripts that it should have, and the policy allows that which is
// run.
func TestPolicy(t *testing.T) {
	run := collected(100)
	run.Command = `</script><script>alert(1)</script>`
	var b bytes.Buffer
	if err := run.Write(&b); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	scripts := regexp.MustCompile(`(?s)<script[^>]*>(.*?)</script>`).FindAllStringSubmatch(page, -1)
	if len(scripts) != 2 || !strings.Contains(page, "script-src '"+hashOf(scripts[1][1])+"'") {
		t.Errorf("%d scripts, or the policy has not the hash of the last one", len(scripts))
	}
	styles := regexp.MustCompile(`(?s)<style>(.*?)</style>`).FindAllStringSubmatch(page, -1)
	if len(styles) != 1 || !strings.Contains(page, "style-src '"+hashOf(styles[0][1])+"'") {
		t.Errorf("%d style sheets, or the policy has not the hash of it", len(styles))
	}
	if regexp.MustCompile(`\s(style|on\w+)=`).MatchString(regexp.MustCompile(`(?s)<(script|style).*?</(script|style)>`).
		ReplaceAllString(page, "")) {
		t.Error("the page has attributes that the policy forbids")
	}
}

func TestMarked(t *testing.T) {
	text := []byte("aä<b>c")
	spans, cut := Marked(text, [][2]int{{1, 3}, {4, 5}})
	want := []Span{{"a", false}, {"ä", true}, {"<", false}, {"b", true}, {">c", false}}
	if cut || !slices.Equal(spans, want) {
		t.Errorf("%v, want %v", spans, want)
	}
	long := bytes.Repeat([]byte("x"), Excerpt+9)
	if spans, cut := Marked(long, [][2]int{{2, 3}, {Excerpt - 1, Excerpt + 5}}); !cut || len(spans) != 4 ||
		len(spans[3].Text) != 1 {
		t.Errorf("of a long text: %v, %d spans", cut, len(spans))
	}
}

// TestWordsOfAPage stand in place of those about removals.
func TestWordsOfAPage(t *testing.T) {
	run := Run{Records: 2, Removed: 1, Words: Words{Headline: "<of items>", Counted: "with an item"},
		Figures: []Figure{{"17", "<items>", ""}},
		Lists:   []List{{"<list>", "about", []string{"<item>", "n"}, []ListRow{{"<text>", []string{"<cell>"}}}}},
		Inputs:  Table{By: "input", Rows: []Row{{"a", 2, 1}}},
	}
	var page strings.Builder
	if err := run.Write(&page); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<h1>&lt;of items&gt;</h1>", "With an item</th>", "Share with an item</th>",
		"&lt;list&gt;",
		"&lt;item&gt;", "&lt;text&gt;", "&lt;cell&gt;", "<b>17</b><span>&lt;items&gt;</span>"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if strings.Contains(page.String(), "were removed") || strings.Contains(page.String(), ">removed</span>") {
		t.Error("the page speaks of removals")
	}
}
