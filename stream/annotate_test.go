package stream

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/mithril-stream/mithril-stream/internal/fixedseed"

	"github.com/mithril-stream/mithril-stream/internal/record"
)

func TestAnnotate(t *testing.T) {
	const input = `{"text":"a b c d","n":{}}
 {"text":"a b c d"} 
{"text":"..."}
{}
{ }
{"text":null}
nonsense }
[]
`
	const want = `{"text":"a b c d","n":{},"mithril_duplicate":false}
 {"text":"a b c d","mithril_duplicate":true} 
{"text":"...","mithril_duplicate":null}
{"mithril_duplicate":null}
{ "mithril_duplicate":null}
{"text":null,"mithril_duplicate":null}
nonsense }
[]
`
	var out bytes.Buffer
	opts := testOptions(t, strings.NewReader(input), &out)
	opts.Annotate = true
	if _, err := do(opts); err != nil || out.String() != want {
		t.Errorf("%v\n%s", err, out.String())
	}
}

// TestAnnotateBesideMembers is that a record which has a member of an annotation already gets no
// second one, and is reported.
func TestAnnotateBesideMembers(t *testing.T) {
	const input = `{"text":"a b c d"}
{"text":"a b c d","mithril_duplicate":false}
{"text":"...","mithril_votes":1}
{"text":"e f g h","n":{"mithril_duplicate":1},"m":"\"mithril_duplicate\":"}
{"mithril_duplicate":1,"text":"i j"]
`
	const want = `{"text":"a b c d","mithril_duplicate":false}
{"text":"a b c d","mithril_duplicate":false}
{"text":"...","mithril_votes":1}
{"text":"e f g h","n":{"mithril_duplicate":1},"m":"\"mithril_duplicate\":","mithril_duplicate":false}
{"mithril_duplicate":1,"text":"i j"]
`
	var out bytes.Buffer
	opts := testOptions(t, strings.NewReader(input), &out)
	opts.Annotate = true
	stats, err := do(opts)
	if err != nil || out.String() != want || stats.Rejects[record.KindAnnotated] != 2 || stats.Rejects.Total() != 3 {
		t.Errorf("%v, %+v\n%s", err, stats, out.String())
	}
	out.Reset()
	opts = testOptions(t, strings.NewReader("id,mithril_duplicate,text\n1,2,three\n"), &out)
	opts.Format, opts.Convert, opts.OnError, opts.Annotate = CSV(',', true, []string{"text"}), true, ErrorDivert, true
	if _, err := do(opts); err == nil || !strings.Contains(err.Error(), "has a column mithril_duplicate already") {
		t.Error(err)
	}
}

// TestAnnotatedRecordsAreWholeAndValid takes the member out again and expects every record as it
// came.
func TestAnnotatedRecordsAreWholeAndValid(t *testing.T) {
	member := regexp.MustCompile(`,?"mithril_duplicate":(true|false|null)`)
	rapid.Check(t, func(rt *rapid.T) {
		input := records(rt)
		var out bytes.Buffer
		opts := testOptions(t, strings.NewReader(input), &out)
		opts.Annotate = true
		if _, err := do(opts); err != nil {
			rt.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if strings.Contains(line, "mithril_duplicate") && !json.Valid([]byte(line)) {
				rt.Fatalf("not JSON: %q", line)
			}
		}
		if input != "" && !strings.HasSuffix(input, "\n") {
			input += "\n"
		}
		if got := member.ReplaceAllString(out.String(), ""); got != input {
			rt.Fatalf("%q\nbecame\n%q", input, got)
		}
	})
}

// knowing is a judge that takes each record but the first for a duplicate of the one before.
type knowing struct{ records uint64 }

func (k *knowing) decide(_ Batch, out []Verdict) (int, error) {
	for i := range out {
		if k.records > 0 {
			out[i] = Verdict{Duplicate: true, Original: k.records, Similarity: .9123456}
		}
		k.records++
	}
	return len(out), nil
}

func TestAnnotateWithOriginals(t *testing.T) {
	const input = "{\"text\":\"a\"}\n{\"text\":\"b\"}\n{\"text\":\"...\"}\n{}\n"
	for name, of := range map[string]func([]byte, uint64) []byte{
		"1":    nil,
		`"r1"`: func(dst []byte, record uint64) []byte { return fmt.Appendf(dst, `"r%d"`, record) },
	} {
		var out bytes.Buffer
		opts := testOptions(t, strings.NewReader(input), &out)
		opts.Method.Judge, opts.Annotate, opts.Name = Judge{Decide: (&knowing{}).decide}, true, of
		want := `{"text":"a","mithril_duplicate":false}
{"text":"b","mithril_duplicate":true,"mithril_duplicate_of":` + name + `,"mithril_similarity":0.9123}
{"text":"...","mithril_duplicate":null}
{"mithril_duplicate":null}
`
		if _, err := do(opts); err != nil || out.String() != want {
			t.Errorf("%v\n%s", err, out.String())
		}
	}
}
