package dedup_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/dedup"
)

func ExampleDeduplicator_AddWithin() {
	d, err := dedup.Open(dedup.Options{Within: "lang"})
	if err != nil {
		panic(err)
	}
	defer d.Close()
	for _, lang := range []string{"de", "en", "de"} {
		v, err := d.AddWithin("Hotel", lang)
		fmt.Println(lang, v.Duplicate, err)
	}
	// Output:
	// de false <nil>
	// en false <nil>
	// de true <nil>
}

// A valued is a text with a value, which is also told in JSON, or "" for none.
type valued struct {
	text  string
	value any
	json  string
}

type language string

// valuedTexts are texts from 0 to n, each as often as there are values, in a mixed order. Half of
// them come twice under the same value.
func valuedTexts(from, to int) (all []valued) {
	values := []valued{
		{value: "de", json: `"de"`}, {value: language("é"), json: `"\u00e9"`}, {value: "", json: `""`}, {},
		{value: "1", json: `"1"`}, {value: 1, json: "1"}, {value: json.Number("1.0"), json: "1.0"},
		{value: uint8(7), json: "7"}, {value: true, json: "true"}, {value: "true", json: `"true"`},
		{value: false, json: "false"},
	}
	for round := range 2 {
		for i, text := range numbered(from, to) {
			for j, v := range values {
				if v.text = text; round == 0 || (i+j)%2 == 0 {
					all = append(all, v)
				}
			}
		}
	}
	return all
}

func (v valued) record() string {
	if v.json == "" {
		return fmt.Sprintf("{%q:%q}\n", "text", v.text)
	}
	return fmt.Sprintf("{%q:%q,%q:%s}\n", "text", v.text, "lang", v.json)
}

// recordsOf are texts as JSON Lines.
func recordsOf(texts []valued) string {
	var b strings.Builder
	for _, v := range texts {
		b.WriteString(v.record())
	}
	return b.String()
}

// addedWithin adds texts with their values, commits, and returns those that are no duplicates.
func addedWithin(t *testing.T, o dedup.Options, texts []valued) (new []valued) {
	t.Helper()
	d := opened(t, o)
	for _, v := range texts {
		seen, err := d.SeenWithin(v.text, v.value)
		if err != nil {
			t.Fatal(err)
		}
		is, err := d.AddWithin(v.text, v.value)
		if err != nil {
			t.Fatal(err)
		}
		if seen != is {
			t.Errorf("%q of %v: %+v when added, %+v when asked for", v.text, v.value, is, seen)
		}
		if !is.Duplicate {
			new = append(new, v)
		}
		if o.Exact && is.Duplicate && is.Original < 0 {
			t.Errorf("%q of %v has no original", v.text, v.value)
		}
	}
	if err := errors.Join(d.Commit(), d.Close()); err != nil {
		t.Fatal(err)
	}
	return new
}

// alone are the texts that are kept of those of each value if these are all that there are.
func alone(t *testing.T, o dedup.Options, texts []valued) (kept []valued) {
	t.Helper()
	o.Within, o.Index = "", ""
	unique := map[string]*dedup.Deduplicator{}
	for _, v := range texts {
		if unique[v.json] == nil {
			unique[v.json] = opened(t, o)
		}
		is, err := unique[v.json].Add(v.text)
		if err != nil {
			t.Fatal(err)
		}
		if !is.Duplicate {
			kept = append(kept, v)
		}
	}
	return kept
}

// TestWithin checks that verdicts equal those of a run for each value alone, and that the program
// and this package open each other's indexes, whichever creates them.
func TestWithin(t *testing.T) {
	first, second := valuedTexts(0, 20), valuedTexts(10, 30)
	all := slices.Concat(first, second)
	for _, o := range []dedup.Options{{Within: "lang"}, {Within: "lang", Exact: true}} {
		kept := alone(t, o, all)
		if len(kept) != 30*11 {
			t.Fatalf("%d of 330 texts are kept", len(kept))
		}
		want := [2]string{recordsOf(kept[:20*11]), recordsOf(kept[20*11:])}
		for _, begins := range []string{"package", "program", "filter"} {
			t.Run(fmt.Sprintf("%s, exact %v", begins, o.Exact), func(t *testing.T) {
				o.Index = filepath.Join(t.TempDir(), "seen")
				flags := []string{"--within", "lang"}
				if o.Exact {
					flags = append(flags, "--memory", "exact")
				}
				byPackage := func(texts []valued) string { return recordsOf(addedWithin(t, o, texts)) }
				byProgram := func(texts []valued) string { return copied(t, o.Index, recordsOf(texts), flags...) }
				byFilter := func(texts []valued) string {
					var out bytes.Buffer
					in := strings.NewReader(recordsOf(texts))
					if _, err := dedup.Filter(context.Background(), in, &out, "text", o); err != nil {
						t.Fatal(err)
					}
					return out.String()
				}
				order := map[string][2]func([]valued) string{
					"package": {byPackage, byProgram},
					"program": {byProgram, byPackage},
					"filter":  {byFilter, byPackage},
				}[begins]
				for i, texts := range [][]valued{first, second} {
					if got := order[i](texts); got != want[i] {
						t.Errorf("run %d keeps\n%s\nwant\n%s", i+1, got, want[i])
					}
				}
				program(t, "index", "verify", o.Index)
			})
		}
	}
}

// copied is what the program keeps of records with an index.
func copied(t *testing.T, index, records string, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.jsonl"), filepath.Join(dir, "out.jsonl")
	if err := os.WriteFile(in, []byte(records), 0o600); err != nil {
		t.Fatal(err)
	}
	program(t, append(flags, "-q", "--index", index, "-o", out, in)...)
	kept, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return string(kept)
}

// TestWithinPartOfURL: values may be URLs by their domain.
func TestWithinPartOfURL(t *testing.T) {
	d := opened(t, dedup.Options{Within: "url:domain"})
	for _, c := range []struct {
		url       string
		duplicate bool
	}{{"https://a.example.org/x", false}, {"http://b.example.org", true}, {"https://example.com", false}} {
		if v, err := d.AddWithin("Hotel", c.url); err != nil || v.Duplicate != c.duplicate {
			t.Errorf("%s: %+v, %v", c.url, v, err)
		}
	}
}

// TestWithinRefuses: texts need values where these are compared, and only there.
func TestWithinRefuses(t *testing.T) {
	index := filepath.Join(t.TempDir(), "seen")
	confined := dedup.Options{Within: "lang", Index: index}
	addedWithin(t, confined, []valued{{text: "Hotel", value: "de"}})
	d, plain := opened(t, dedup.Options{Within: "lang"}), opened(t, dedup.Options{})
	adding := func(d *dedup.Deduplicator, value any) func() error {
		return func() error {
			_, added := d.AddWithin("Hotel", value)
			_, seen := d.SeenWithin("Hotel", value)
			if added == nil || seen == nil || added.Error() != seen.Error() {
				t.Errorf("%v when added, %v when asked for", added, seen)
			}
			return added
		}
	}
	filtering := func(field string) func() error {
		return func() error {
			o := dedup.Options{Within: field}
			_, err := dedup.Filter(context.Background(), strings.NewReader(records), io.Discard, "text", o)
			return err
		}
	}
	for _, c := range []struct {
		says string
		of   func() error
	}{
		{`a text needs its "lang": use AddWithin`, func() error { _, err := d.Add("Hotel"); return err }},
		{`a text needs its "lang": use SeenWithin`, func() error { _, err := d.Seen("Hotel"); return err }},
		{"Options.Within is empty", adding(plain, "de")},
		{"a float64 is no value", adding(d, 1.0)},
		{"a []bool is no value", adding(d, []bool{true})},
		{"a []string is no value", adding(d, []string{"de"})},
		{`"" is not a number`, adding(d, json.Number(""))},
		{`"0x1" is not a number`, adding(d, json.Number("0x1"))},
		{"a sequence of texts has no values", func() error { _, err := errorOf(crawl, confined); return err }},
		{`has a field "lung"`, filtering("lung")},
		{`records have no "a[].b"`, filtering("a[].b")},
	} {
		err := c.of()
		var config *dedup.ConfigError
		if !errors.As(err, &config) || config.Option != "Within" || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v, want %s", err, c.says)
		}
	}
	for _, within := range []string{"", "dump"} {
		if _, err := dedup.Open(dedup.Options{Index: index, Within: within}); !errors.Is(err, bloomlsh.ErrParameters) {
			t.Errorf("an index of another field is opened: %v", err)
		}
	}
}
