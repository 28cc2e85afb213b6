package shown

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
)

func TestText(t *testing.T) {
	for given, want := range map[string]string{
		"": "",
		"a file – für 文 👨\u200d👩\u00a0": "a file – für 文 👨\u200d👩\u00a0",
		"a\x1b[2J\x07\nb\t":             `a\x1b[2J\a\nb\t`,
		"\u009b1m \x7f":                 `\u009b1m \x7f`,
		"\x9b\xff":                      `\x9b\xff`,
		"a\u202etxt.exe\u2028":          `a\u202etxt.exe\u2028`,
		`it's "quoted"\`:                `it's "quoted"\`,
		"\ufffd":                        "\ufffd", // that is what was written
	} {
		if got := Text(given); got != want {
			t.Errorf("%q is shown as %q, not %q", given, got, want)
		}
	}
}

func TestError(t *testing.T) {
	name := errors.New("open a\nb: no")
	for _, c := range []struct {
		err  error
		want string
	}{
		{name, `open a\nb: no`},
		{errors.Join(name, errors.New("close\x1b")), `open a\nb: no` + "\n" + `close\x1b`},
		{fmt.Errorf("in \a: %w; go on", errors.Join(name, name)),
			`in \a: open a\nb: no` + "\n" + `open a\nb: no; go on`},
		{fmt.Errorf("%w, %w\n", name, errors.Join(name, name)),
			`open a\nb: no, open a\nb: no` + "\n" + `open a\nb: no\n`},
		{other{name}, `else\n`},
		{other{nil}, `else\n`},
	} {
		if got := Error(c.err); got != c.want {
			t.Errorf("%q is shown as %q, not %q", c.err, got, c.want)
		}
	}
}

// other is an error whose message does not contain that of the error it wraps.
type other struct{ error }

func (o other) Error() string { return "else\n" }
func (o other) Unwrap() error { return o.error }

func TestLines(t *testing.T) {
	var b bytes.Buffer
	Notice(&b, "the text is in the field %s", "a\nb")
	if err := Line(&b, "%s: whole", "x\x1b"); err != nil {
		t.Fatal(err)
	}
	if got, want := b.String(), "mithril-stream: the text is in the field a\\nb\nx\\x1b: whole\n"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
}
