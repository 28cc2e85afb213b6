package record

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// openings are formats, and records of each: some that can be read, and some that cannot.
func openings() map[string]struct {
	format          Format
	head, good, bad string
} {
	fields := fieldsOfTest("text")
	rows := CSV(',', true, []string{"text"})
	return map[string]struct {
		format          Format
		head, good, bad string
	}{
		"lines":    {JSONLines(fields), "", `{"text":"a"}` + "\n", "<html>\n"},
		"fields":   {JSONLines(fields), "", `{"text":"a"}` + "\n", `{"body":"a"}` + "\n"},
		"elements": {JSONArray(fields), "[", `{"text":"a"},`, `[1,"]"],`},
		"rows":     {rows, "id,text\n", "1,\"a\nb\"\n", "1,2,3\n"},
	}
}

// TestOpenings: an input is refused if none of its first records can be read, and however its bytes
// come the same is said of it.
func TestOpenings(t *testing.T) {
	for name, c := range openings() {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			limit := rapid.IntRange(1, 5).Draw(t, "limit")
			bad, good := rapid.IntRange(0, 7).Draw(t, "bad"), rapid.IntRange(0, 2).Draw(t, "good")
			isCut := rapid.Bool().Draw(t, "cut")
			input := c.head + strings.Repeat(c.bad, bad) + strings.Repeat(c.good, good)
			if name == "elements" {
				input = strings.TrimSuffix(input, ",") + "]"
			} else if isCut {
				input = strings.TrimSuffix(input, "\n")
			}
			unfit, refused := lookAt(t, c.format, []byte(input), limit)
			wantRefused := bad >= limit || good == 0 && bad > 0
			if refused != wantRefused {
				t.Fatalf("%q with a limit of %d: refused is %v", input, limit, refused)
			}
			if refused && (unfit.Records != min(bad, limit) || unfit.First != 1) {
				t.Fatalf("%q with a limit of %d: %+v", input, limit, unfit)
			}
		}))
	}
}

// lookAt looks at an input that comes in pieces.
func lookAt(t *rapid.T, f Format, input []byte, limit int) (Unfit, bool) {
	o := NewOpening(f, limit)
	ends := rapid.SliceOfN(rapid.IntRange(0, len(input)), 0, 6).Draw(t, "ends")
	slices.Sort(ends)
	for _, end := range ends {
		if o.Look(bytes.Clone(input[:end])) {
			return o.Refused()
		}
	}
	if !o.Look(input) {
		o.End(input, true)
	}
	return o.Refused()
}

// TestOpeningsThatAreNotWhole: of a record whose end is not looked at the beginning shows whether
// it is none.
func TestOpeningsThatAreNotWhole(t *testing.T) {
	lines := JSONLines(fieldsOfTest("text"))
	for input, want := range map[string]bool{
		`{"text":"a long`:             false,
		`[{"text":"a long`:            true,
		"\xef\xbb\xbf{\"text\":\"a l": false,
		"\x00\x00\x00":                true,
		"<html>\n" + `{"text":"a lo`:  true,
		" \n":                         false,
		`{"text":null}` + "\n[":       false,
	} {
		o := NewOpening(lines, 100)
		if !o.Look([]byte(input)) {
			o.End([]byte(input), false)
		}
		if _, refused := o.Refused(); refused != want {
			t.Errorf("%q: refused is %v", input, refused)
		}
	}
}

// TestOverlong: the beginning of a record that is too long may show that it is none.
func TestOverlong(t *testing.T) {
	parser := JSONLines(fieldsOfTest("text")).NewParser()
	for beginning, want := range map[string]Kind{
		`{"text":`: KindTooLong, " \t{": KindTooLong, "    [": KindTooLong, "\xef\xbb\xbf{": KindTooLong,
		"[1, 2": KindNotObject, `"text`: KindNotObject, "<html": KindBadJSON,
	} {
		if got := Overlong(parser, []byte(beginning), 4).Kind(); got != want {
			t.Errorf("%q: %s", beginning, got)
		}
	}
	if got := Overlong(Text("\n").NewParser(), []byte("[1, 2"), 4); got != TooLong {
		t.Errorf("text: %v", got)
	}
}

func fieldsOfTest(names ...string) (fields []Field) {
	for _, name := range names {
		field, err := ParseField(name)
		if err != nil {
			panic(fmt.Sprint(name, err))
		}
		fields = append(fields, field)
	}
	return fields
}
