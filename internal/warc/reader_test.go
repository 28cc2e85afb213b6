package warc

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/internal/compress"
	_ "github.com/mithril-stream/mithril-stream/internal/fixedseed"
	"github.com/mithril-stream/mithril-stream/internal/record"
)

const limit = 100_000

func TestRecords(t *testing.T) {
	one, two := conversion("one"), conversion("two")
	for name, c := range map[string]struct {
		file string
		want []string
	}{
		"as they should be": {one + two, []string{one, two}},
		"line feeds alone": {strings.ReplaceAll(one+two, "\r", ""),
			[]string{strings.ReplaceAll(one, "\r", ""), strings.ReplaceAll(two, "\r", "")}},
		"blank lines between": {one + "\r\n\n" + two + "\n", []string{one, "\r\n\n" + two}},
		"one line end": {strings.TrimSuffix(one, "\r\n") + two,
			[]string{strings.TrimSuffix(one, "\r\n"), two}},
		"none": {strings.TrimSuffix(one, "\r\n\r\n") + two,
			[]string{strings.TrimSuffix(one, "\r\n\r\n"), two}},
		"none at the end":       {one + strings.TrimSuffix(two, "\r\n\r\n"), []string{one, two}},
		"one at the end":        {one + strings.TrimSuffix(two, "\r\n"), []string{one, two}},
		"a text that is a file": {conversion(one+two) + one, []string{conversion(one + two), one}},
		"names in another case": {strings.ToUpper(one) + strings.ToLower(strings.Replace(two, "WARC/", "", 1)), nil},
		"an empty file":         {"", nil},
		"a block of line ends":  {conversion("\r\n\r\n\r\n\r\n") + one, []string{conversion("\r\n\r\n\r\n\r\n"), one}},
		"a field on three lines": {strings.Replace(one, "plain", "plain;\r\n charset=x;\r\n\tcontent-length: 7", 1),
			[]string{strings.Replace(one, "plain", "plain;\r\n charset=x;\r\n\tcontent-length: 7", 1)}},
	} {
		if name == "names in another case" {
			c.file = strings.Replace(one, "Content-Length", "content-LENGTH", 1)
			c.want = []string{c.file}
		}
		records, err := readAll(open(t, strings.NewReader(c.file), limit))
		if err != nil || len(records) != len(c.want) {
			t.Errorf("%s: %d records, %v", name, len(records), err)
			continue
		}
		for i, r := range records {
			if r.bytes != c.want[i] || !r.Judged || !strings.HasSuffix(c.want[i][:r.Header], "\n") {
				t.Errorf("%s: record %d is %q, %+v", name, i, r.bytes, r.Record)
			}
		}
	}
}

func TestWhatIsNoRecord(t *testing.T) {
	one := conversion("one")
	for file, want := range map[string]string{
		`{"text":"one"}` + "\n": `in the record at byte 0: a record should begin with WARC/1.0 or the like, but here is "{\"text\":\"one\"}"`,
		one + "two":             fmt.Sprintf(`in the record at byte %d: its header is cut off: the input ends in the middle of a record`, len(one)),
		one + "two three":       fmt.Sprintf(`in the record at byte %d: a record should begin with WARC/1.0 or the like, but here is "two three"`, len(one)),
		one[:30]:                `in the record at byte 0: its header is cut off: the input ends in the middle of a record`,
		strings.Replace(one, "Length: 3", "Length: 9", 1): "in the record at byte 0: 2 of 9 " +
			"bytes are missing: the input ends in the middle of a record",
		strings.Replace(one, "Length: 3", "Length: 2", 1) + one:              `in the record at byte 0: its Content-Length is wrong: after it should be a blank line and another record, but there is "e\r\n\r\n"`,
		strings.Replace(one, "Length: 3", "Length: 1", 1)[:len(one)-3]:       `in the record at byte 0: its Content-Length is wrong: after it should be a blank line and another record, but there is "ne\r"`,
		strings.Replace(one, "Length: 3", "Length: -3", 1):                   `in the record at byte 0: its Content-Length should be a number of bytes, but is "-3"`,
		strings.Replace(one, "Length: 3", "Length: 99999999999999999999", 1): `in the record at byte 0: its Content-Length should be a number of bytes, but is "99999999999999999999"`,
		strings.Replace(one, "Length: 3", "Lenght: 3", 1):                    `in the record at byte 0: its Content-Length should be a number of bytes, but is ""`,
		strings.Replace(one, "text", strings.Repeat("t", maxHeader), 1): "in the record at byte 0: its " +
			"header is longer than 65536 bytes",
		strings.Repeat("\n", maxHeader+1) + one: "in the record at byte 0: its " +
			"header is longer than 65536 bytes",
		member(strings.Replace(one, "Length: 3", "Length: 9", 1)) + member(one): "in the record at byte 0: its " +
			"Content-Length is 2 bytes longer than what its gzip member holds",
		member(one) + "garbage after it": fmt.Sprintf("in the record at byte %d: the gzip stream is damaged at or "+
			"before byte %d: what follows a complete stream there is not compressed",
			len(member(one)), len(member(one))),
	} {
		_, err := readAll(open(t, strings.NewReader(file), limit))
		if err == nil || err.Error() != want {
			t.Errorf("%.40q:\n%v\nwant\n%s", file, err, want)
		}
	}
}

// TestALengthIsNotTrusted reads a record that says that it has an exabyte. What it takes is bounded
// by what there is.
func TestALengthIsNotTrusted(t *testing.T) {
	file := strings.Replace(conversion("one"), "Length: 3", "Length: 1000000000000000000", 1)
	for _, most := range []int{limit, 1 << 30} {
		_, err := readAll(open(t, strings.NewReader(file), most))
		if !errors.Is(err, record.ErrCutOff) {
			t.Error(err)
		}
	}
	r := open(t, strings.NewReader(strings.Replace(file, "1000000000000000000", "1000000000", 1)), 1<<30)
	if buf, _, err := r.Next(nil); err == nil || cap(buf) > 1<<20 {
		t.Errorf("%v, a buffer of %d bytes", err, cap(buf))
	}
}

// An archive is a file, and what is to be found in it.
type archive struct {
	records []string
	members []string // of records that have some of their own, or ""
	file    string
}

// drawArchive compresses records of any sort and size in any way.
func drawArchive(rt *rapid.T) (a archive) {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
	how := rapid.SampledFrom([]string{"plain", "members", "cut", "shared", "mixed"}).Draw(rt, "how")
	for range rapid.IntRange(0, 6).Draw(rt, "records") {
		block := make([]byte, rapid.SampledFrom([]int{0, 1, 30, 5000, windowSize, 90_000, 130_000}).Draw(rt, "size"))
		for i := range block {
			block[i] = byte(rng.IntN(256)) | byte(rng.IntN(2)*255)
		}
		a.records = append(a.records, recordOf(rapid.SampledFrom([]string{"conversion", "request"}).Draw(rt, "kind"),
			"text/plain", string(block)))
		a.members = append(a.members, "")
	}
	all := strings.Join(a.records, "")
	cut := func(s string) (_ string, whole bool) { // into two members, with an empty one between them
		n := 1 + rng.IntN(len(s)-1)
		return member(s[:n]) + member("") + member(s[n:]), n < len(s)-len("\r\n\r\n")
	}
	switch {
	case how == "plain":
		a.file = all
	case how == "shared" || len(all) == 0:
		a.file = member(all)
		if len(a.records) == 1 && len(all) <= limit {
			a.members[0] = a.file
		}
	default:
		for i := 0; i < len(a.records); i++ {
			own, whole := member(a.records[i]), true
			if how == "cut" || how == "mixed" && rng.IntN(4) == 0 {
				own, whole = cut(a.records[i])
			}
			if how == "mixed" && rng.IntN(4) == 0 && i+1 < len(a.records) {
				a.file += member(a.records[i] + a.records[i+1])
				i++
				continue
			}
			a.file += own
			if len(a.records[i]) <= limit && whole {
				a.members[i] = own
			}
		}
	}
	return a
}

// TestRecordsComeAsTheyAre: what is read is what was written, whatever the compression and the
// sizes of reads; members are given out if and only if they hold one record.
func TestRecordsComeAsTheyAre(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a := drawArchive(rt)
		src := rapid.SampledFrom([]func(io.Reader) io.Reader{func(r io.Reader) io.Reader { return r },
			iotest.HalfReader, iotest.DataErrReader}).Draw(rt, "source")
		r := open(t, src(strings.NewReader(a.file)), limit)
		records, err := readAll(r)
		if err != nil || len(records) != len(a.records) {
			rt.Fatalf("%d of %d records, %v", len(records), len(a.records), err)
		}
		for i, rec := range records {
			if rec.bytes != a.records[i] || rec.Long != (len(a.records[i])-4 > limit) ||
				rec.Judged != strings.Contains(rec.bytes[:40], "conversion") {
				rt.Errorf("record %d: %d of %d bytes, %+v", i, len(rec.bytes), len(a.records[i]), rec.Record)
			}
			if !rec.Long && string(rec.Member) != a.members[i] {
				rt.Errorf("record %d: %d bytes of members, want %d", i, len(rec.Member), len(a.members[i]))
			}
		}
	})
}

// TestDamage cuts and changes archives at many places: never a panic, never fewer records without
// an error, and before the damage all of them.
func TestDamage(t *testing.T) {
	var want, members []string
	for i := range 20 {
		want = append(want,
			conversion(strings.Repeat(fmt.Sprintf("The river rises %d miles north of %d hills. ", i, 7*i), 1+i)))
		members = append(members, member(want[i]))
	}
	plain := strings.Join(want, "")
	for name, file := range map[string]string{"plain": plain, "members": strings.Join(members, ""),
		"one member": member(plain), "zstd": zstandard(t, plain)} {
		rng := rand.New(rand.NewPCG(1, 1))
		for range 300 {
			at := 4 + rng.IntN(len(file)-4)
			whole := 0 // records that end before
			parts := map[string][]string{"plain": want, "members": members}[name]
			for end := 0; whole < len(parts) && end+len(parts[whole]) <= at; whole++ {
				end += len(parts[whole])
			}
			edge := whole > 0 && strings.Join(parts[:whole], "") == file[:at]
			got, err := readDamaged(file[:at])
			lineEnds := name == "plain" && len(got) == whole+1 // only they were cut off
			if len(got) < whole || !lineEnds && (err == nil) != edge && name != "zstd" ||
				err == nil && !edge && !lineEnds {
				t.Errorf("%s cut at %d: %d of %d records, %v", name, at, len(got), whole, err)
			}
			isPrefix(t, name, got, want)

			changed := []byte(file)
			changed[at] ^= byte(1 + rng.IntN(255))
			got, err = readDamaged(string(changed))
			if len(got) < whole {
				t.Errorf("%s changed at %d: %d of %d records, %v", name, at, len(got), whole, err)
			}
			if name == "members" {
				isPrefix(t, name, got, want)
			}
			if name != "plain" && err == nil {
				isPrefix(t, name, got, want)
				if len(got) != len(want) {
					t.Errorf("%s changed at %d: %d records and no error", name, at, len(got))
				}
			}
		}
	}
}

func readDamaged(file string) ([]found, error) {
	src, err := compress.NewMemberReader(io.NopCloser(strings.NewReader(file)), "", 0)
	if err != nil {
		return nil, err
	}
	return readAll(NewReader(src, limit))
}

func isPrefix(t *testing.T, name string, got []found, want []string) {
	t.Helper()
	for i, r := range got {
		if i >= len(want) || r.bytes != want[i] {
			t.Errorf("%s: record %d is not what was written", name, i)
			return
		}
	}
}

func FuzzReader(f *testing.F) {
	one := conversion("one")
	for _, seed := range []string{one, one + one, one[:40], member(one) + member(one), "\r\n" + one[:len(one)-3],
		strings.ReplaceAll(one, "\r", "")} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		got, err := readDamaged(string(file))
		if strings.HasPrefix(string(file), "WARC") && err == nil {
			var all strings.Builder
			for _, r := range got {
				all.WriteString(r.bytes[:len(r.bytes)-r.Added])
			}
			if rest, found := strings.CutPrefix(string(file), all.String()); !found ||
				strings.Trim(rest, "\r\n") != "" {
				t.Errorf("%q was read as %q", file, all.String())
			}
		}
	})
}
