package cmdline

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

func TestListed(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"a\nb", []string{"a", "b"}},
		{"\na\n\n b \n", []string{"a", " b "}},
		{"a\nb\x00c\x00\x00", []string{"a\nb", "c"}},
		{"a\r\n", []string{"a\r"}},
	} {
		if got, err := listed([]byte(c.text)); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("listed(%q) = %q, %v, want %q", c.text, got, err, c.want)
		}
	}
	for _, text := range []string{"", "\n\n", "\x00", strings.Repeat("a", maxName+1)} {
		if got, err := listed([]byte(text)); err == nil {
			t.Errorf("listed(%.20q) = %q, want an error", text, got)
		}
	}
}

// FuzzListed checks that joining the names with NULs gives the same list, and that nothing but the
// separators of names is lost.
func FuzzListed(f *testing.F) {
	for _, text := range []string{"a\nb\n", "a\x00b\nc\x00", "\n", ""} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		names, err := listed(text)
		if err != nil {
			return
		}
		again, err := listed([]byte(strings.Join(names, "\x00") + "\x00"))
		if err != nil || !slices.Equal(again, names) {
			t.Errorf("%q: listed %q, and of these %q, %v", text, names, again, err)
		}
		ends := "\n"
		if bytes.IndexByte(text, 0) >= 0 {
			ends = "\x00"
		}
		if got, want := strings.Join(names, ""), strings.ReplaceAll(string(text), ends, ""); got != want {
			t.Errorf("%q: the names are %q, and should be %q", text, got, want)
		}
	})
}
