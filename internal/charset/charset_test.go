package charset

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"pgregory.net/rapid"

	_ "github.com/mithril-stream/mithril-stream/internal/fixedseed"
)

func read(t interface{ Fatal(...any) }, name string, replace bool, in io.Reader) (string, uint64, error) {
	d, err := NewDecoding(name, replace)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(d.Reader(io.NopCloser(in)))
	return string(text), d.Replaced(), err
}

// TestFind knows the names that people write.
func TestFind(t *testing.T) {
	for name, want := range map[string]string{
		"latin-1": "é€", "LATIN1": "é€", "ISO-8859-1": "é€", "iso_8859_1": "é€", "cp1252": "é€", "windows-1252": "é€",
		"cp437": "é", "cp850": "é", "mac_roman": "é", "macintosh": "é", "koi8-r": "ж", "cp1251": "ж", "cp866": "ж",
		"utf-16": "é€", "utf-16be": "é€", "utf-16le": "é€", "shift_jis": "字", "sjis": "字", "cp932": "字", "euc-jp": "字",
		"iso-2022-jp": "字", "gbk": "字", "gb18030": "字", "gb2312": "字", "big5": "字", "euc-kr": "글", "iso-8859-15": "é€",
	} {
		e, err := Find(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if lower := strings.ToLower(name); strings.Contains(lower, "latin") || strings.HasSuffix(lower, "8859-1") ||
			strings.HasSuffix(lower, "8859_1") {
			want = "é" // it has no sign of the euro
		}
		packed, err := e.NewEncoder().String(want)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got, n, err := read(t, name, false, strings.NewReader(packed)); got != want || n != 0 || err != nil {
			t.Errorf("%s: %q, %d, %v", name, got, n, err)
		}
	}
	for _, name := range []string{"nothing", "cp", "cp125", "replacement"} {
		if e, err := Find(name); err == nil {
			t.Errorf("%s is %v", name, e)
		}
	}
}

// TestBytesOfOneEncoding decodes any bytes, however they are read.
func TestBytesOfOneEncoding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := rapid.SliceOf(rapid.Byte()).Draw(t, "raw")
		var want strings.Builder
		for _, c := range raw {
			want.WriteRune(charmap.ISO8859_1.DecodeByte(c))
		}
		got, n, err := read(t, "latin-1", false, iotest.OneByteReader(bytes.NewReader(raw)))
		if got != want.String() || n != 0 || err != nil {
			t.Fatalf("%q, %d, %v", got, n, err)
		}
	})
}

// TestReplace replaces each byte that is in no character, and counts it.
func TestReplace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOf(rapid.SampledFrom([]string{
			"a", "é", "字", "😀", "\xff", "\xc3", "\xe5\xad", "\xed\xa0\x80", "�",
		}))
		times := rapid.SampledFrom([]int{1, 3000}).Draw(t, "times")
		raw := strings.Repeat(strings.Join(parts.Draw(t, "parts"), ""), times)
		want := string([]rune(raw))
		lost := uint64(0)
		for i := 0; i < len(raw); {
			char, size := utf8.DecodeRuneInString(raw[i:])
			if char == utf8.RuneError && size == 1 {
				lost++
			}
			i += size
		}
		got, n, err := read(t, "", true, iotest.HalfReader(strings.NewReader(raw)))
		if got != want || n != lost || err != nil {
			t.Fatalf("%q, %d of %d, %v", got, n, lost, err)
		}
	})
}

// TestRefuse says where an input is not what was said.
func TestRefuse(t *testing.T) {
	got, _, err := read(t, "shift_jis", false, strings.NewReader("ab\x82"))
	want := "it is not shift_jis behind byte 2 of what it is as UTF-8"
	if err == nil || !strings.Contains(err.Error(), want) || got != "ab" {
		t.Error(got, err)
	}
	if got, n, err := read(t, "shift_jis", true, strings.NewReader("ab\x82")); got != "ab�" || n != 1 || err != nil {
		t.Error(got, n, err)
	}
	if d, err := NewDecoding("utf-8", false); d != nil || err != nil {
		t.Error(d, err)
	}
}
