package judge

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A conversation is what another program sends, and reads.
type conversation struct{ bytes.Buffer }

func (c *conversation) send(kind uint32, argument uint32, texts ...string) {
	c.numbers(kind, uint32(len(texts)), argument)
	for _, text := range texts {
		c.numbers(uint32(len(text)))
	}
	c.WriteString(strings.Join(texts, ""))
}

func (c *conversation) numbers(list ...uint32) { binary.Write(c, binary.LittleEndian, list) }

// judged sends all that is in c to the command, and returns its replies.
func (c *conversation) judged(t *testing.T, args ...string) (replies *bytes.Reader, err error) {
	t.Helper()
	return c.judgedBy(t, append([]string{"--capacity", "1000"}, args...)...)
}

// judgedBy is judged with no other flags than these.
func (c *conversation) judgedBy(t *testing.T, args ...string) (replies *bytes.Reader, err error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(path, c.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.Create(path + ".out")
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	cmd, err := config.Parse(append([]string{"judge"}, args...), "test", io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	std := files.Streams{In: in, Out: files.StdoutOf(out), Err: os.Stderr}
	err = Run(context.Background(), cmd.(*config.Judge), std)
	said, _ := os.ReadFile(path + ".out")
	return bytes.NewReader(said), err
}

// reply reads the head of a reply, and what follows for a text or as a whole.
func reply(t *testing.T, from io.Reader, kind uint32, size int) []byte {
	t.Helper()
	var head [3]uint32
	if err := binary.Read(from, binary.LittleEndian, &head); err != nil || head[0] != kind {
		why := make([]byte, min(head[2], 1<<10))
		_, _ = io.ReadFull(from, why)
		t.Fatalf("%v %q, %v; want a reply of kind %d", head, why, err, kind)
	}
	if head[2] > 0 {
		size = int(head[2])
	} else {
		size *= int(head[1])
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(from, body); err != nil {
		t.Fatal(err)
	}
	return body
}

// verdictsOf are the verdicts of a reply: original, similarity, and what else is said.
func verdictsOf(body []byte) (list []string) {
	for ; len(body) > 0; body = body[verdictSize:] {
		list = append(list, fmt.Sprintf("%d %.2f %d%d", binary.LittleEndian.Uint64(body),
			math.Float32frombits(binary.LittleEndian.Uint32(body[8:])), body[14], body[15]))
	}
	return list
}

// The number of a record that no memory has is an error, however large it is.
func TestJudgeNamesNoRecord(t *testing.T) {
	for _, number := range [][2]uint32{{0, 0}, {2, 0}, {1, 1 << 24}, {1, 255 << 24}} {
		var c conversation
		c.send(judgeAdd, 0, fox)
		c.numbers(judgeNames, 1, 0, number[0], number[1])
		_, err := c.judged(t)
		if err == nil || !strings.Contains(err.Error(), "there is no record") {
			t.Errorf("%v: %v", number, err)
		}
	}
}

const fox, other = "the quick brown fox jumps over the lazy dog", "entirely different words are standing here"

func TestJudge(t *testing.T) {
	var c conversation
	c.send(judgeAdd, 0, fox, other, strings.ToUpper(fox), "")
	c.send(judgeAsk, 0, fox)
	c.send(judgeAdd, 0)
	c.send(judgeNear, 1, fox, "")
	c.numbers(judgeNames, 1, 0, 3, 0) // the number of a record has 64 bits
	c.send(judgeStats, 0)
	for range 3000 { // more than one part of a request, and than one batch
		c.send(judgeAsk, 0, other)
	}
	c.send(judgeAdd, 0, strings.Split(strings.Repeat(other+"|", 3000), "|")...)
	replies, err := c.judged(t)
	if err != nil {
		t.Fatal(err)
	}
	got := verdictsOf(reply(t, replies, judgeAdd, verdictSize))
	if fmt.Sprint(got) != "[0 0.00 00 0 0.00 00 1 1.00 10 0 0.00 01]" {
		t.Errorf("added: %v", got)
	}
	if got := verdictsOf(reply(t, replies, judgeAsk, verdictSize)); fmt.Sprint(got) != "[1 1.00 10]" {
		t.Errorf("asked: %v", got)
	}
	reply(t, replies, judgeAdd, verdictSize)
	if got := string(reply(t, replies, judgeNear, 0)); got != `[[{"number":1,"record":"python:1","similarity":1}],[]]` {
		t.Errorf("near: %s", got)
	}
	if got := string(reply(t, replies, judgeNames, 0)); got != `["python:3"]` {
		t.Errorf("names: %s", got)
	}
	if got := string(reply(t, replies, judgeStats, 0)); !strings.HasPrefix(got, `{"records":4,`) {
		t.Errorf("stats: %s", got)
	}
	for range 3000 {
		if got := verdictsOf(reply(t, replies, judgeAsk, verdictSize)); fmt.Sprint(got) != "[2 1.00 10]" {
			t.Fatalf("asked: %v", got)
		}
	}
	got = verdictsOf(reply(t, replies, judgeAdd, verdictSize))
	if len(got) != 3001 || got[0] != "2 1.00 10" || got[2999] != got[0] || got[3000] != "0 0.00 01" {
		t.Errorf("%d verdicts: %v", len(got), got[2999:])
	}
	if replies.Len() > 0 {
		t.Errorf("%d bytes more", replies.Len())
	}
}

// A reply repeats the number of its request. Requests with and without numbers may alternate.
func TestRepliesRepeatNumbers(t *testing.T) {
	requests := []struct {
		kind, argument uint32
		texts          []string
		size           int // of the reply, for each text
	}{
		{judgeAdd, 0, []string{fox, other}, verdictSize},
		{judgeAdd, 0, make([]string, 20), verdictSize}, // no few
		{judgeAsk, 0, nil, verdictSize},
		{judgeAsk, 0, []string{fox}, verdictSize},
		{judgeSignatures, 0, []string{fox}, 64 * 8},
		{judgeKeys, 0, []string{fox}, 0},
		{judgeNear, 3, []string{fox}, 0},
		{judgeStats, 0, nil, 0},
		{judgeAlike, 0, []string{fox}, 0},
		{judgeSizes, 0, []string{fox}, 4},
	}
	var plain, both conversation
	for i, q := range requests {
		plain.send(q.kind, q.argument, q.texts...)
		plain.send(q.kind, q.argument, q.texts...)
		both.send(q.kind, q.argument, q.texts...)
		var numberedOne conversation
		numberedOne.send(q.kind|numbered, q.argument, q.texts...)
		both.Write(numberedOne.Next(requestSize))
		both.numbers(math.MaxUint32 - uint32(i))
		both.Write(numberedOne.Bytes())
	}
	want, err := plain.judged(t, "--memory", "exact")
	if err != nil {
		t.Fatal(err)
	}
	got, err := both.judged(t, "--memory", "exact")
	if err != nil {
		t.Fatal(err)
	}
	for i, q := range requests {
		for _, withNumber := range []bool{false, true} {
			if !withNumber {
				first, second := reply(t, want, q.kind, q.size), reply(t, got, q.kind, q.size)
				if q.kind != judgeStats && !bytes.Equal(first, second) {
					t.Errorf("kind %d: %q; want %q", q.kind, second, first)
				}
				continue
			}
			var head [3]uint32
			var number uint32
			_ = binary.Read(got, binary.LittleEndian, &head)
			_ = binary.Read(got, binary.LittleEndian, &number)
			if head[0] != q.kind|numbered || number != math.MaxUint32-uint32(i) {
				t.Fatalf("kind %d, request %d: the reply has the head %v and number %d", q.kind, i, head, number)
			}
			var rest conversation
			rest.numbers(q.kind, head[1], head[2])
			first := reply(t, want, q.kind, q.size)
			second := reply(t, io.MultiReader(&rest, got), q.kind, q.size)
			if q.kind != judgeStats && !bytes.Equal(first, second) {
				t.Errorf("kind %d with a number: %q; want %q", q.kind, second, first)
			}
		}
	}
	if got.Len() > 0 {
		t.Errorf("%d bytes more", got.Len())
	}
}

// A request may end before its number.
func TestNumberThatIsMissing(t *testing.T) {
	var c conversation
	c.numbers(judgeStats|numbered, 0, 0)
	if _, err := c.judged(t); err == nil || !strings.Contains(err.Error(), "request 1: the input ends within it") {
		t.Error(err)
	}
}

func TestJudgeKeepsWhatIsCommitted(t *testing.T) {
	for _, memory := range []string{"exact", "bloom"} {
		index := filepath.Join(t.TempDir(), "index")
		var first, second conversation
		first.send(judgeAdd, 0, fox)
		first.numbers(judgeCommit, 0, 0)
		first.send(judgeAdd, 0, other)
		if _, err := first.judged(t, "--memory", memory, "--index", index); err != nil {
			t.Fatal(err)
		}
		second.send(judgeAsk, 0, fox, other)
		replies, err := second.judged(t, "--memory", memory, "--index", index)
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprint(verdictsOf(reply(t, replies, judgeAsk, verdictSize)))
		if !strings.HasSuffix(got, " 10 0 0.00 00]") {
			t.Errorf("%s: %s", memory, got)
		}
	}
}

func TestJudgeRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		send func(*conversation)
		want string
	}{
		"kind":   {func(c *conversation) { c.numbers(77, 0, 0) }, "kind 77"},
		"count":  {func(c *conversation) { c.numbers(judgeAdd, 1<<30, 0) }, "1073741824 texts"},
		"end":    {func(c *conversation) { c.numbers(judgeAdd, 2, 0, 5) }, "unexpected EOF"},
		"text":   {func(c *conversation) { c.numbers(judgeAdd, 1, 0, 5) }, "unexpected EOF"},
		"id":     {func(c *conversation) { c.numbers(judgeAdd, 1, 1, 1, 1<<20) }, "an id of 1048576 bytes"},
		"commit": {func(c *conversation) { c.numbers(judgeCommit, 0, 0) }, "without --index"},
		"record": {func(c *conversation) { c.numbers(judgeNames, 1, 0, 9, 0) }, "no record 9"},
		"a length": {
			func(c *conversation) { c.numbers(judgeAsk, 1, 0, 1<<31) },
			"request 1, of kind 2: a text of -2147483648 bytes",
		},
		"an id": {func(c *conversation) {
			c.numbers(judgeAdd, 1, 1, 0, 2)
			c.WriteString("a\"")
		}, "the id of text 1 is not JSON"},
		"lines": {func(c *conversation) {
			c.numbers(judgeAdd, 1, 1, 0, 2)
			c.WriteString("1\n")
		}, "is not JSON on one line"},
		"argument":   {func(c *conversation) { c.numbers(judgeAdd, 0, 7) }, "an argument of 7"},
		"alike":      {func(c *conversation) { c.numbers(judgeAlike, 0, 2) }, "an argument of 2"},
		"stats":      {func(c *conversation) { c.numbers(judgeStats, 5, 0) }, "a count of 5"},
		"own record": {func(c *conversation) { c.numbers(judgeNames, 1, 0, 0, 0) }, "no record 0"},
		"memory":     {func(c *conversation) { c.numbers(judgeNames, 1, 0, 1, 1<<24) }, "no record 72057594037927937"},
		"last": {
			func(c *conversation) { c.numbers(judgeNames, 1, 0, 1<<32-1, 1<<32-1) }, "no record 18446744073709551615",
		},
		"signatures": {
			func(c *conversation) { c.numbers(judgeSignatures, 3, 0, 5, 5, 5) }, "of kind 5: the input ends",
		},
		"many": {func(c *conversation) {
			c.send(judgeAsk, 0, strings.Split(strings.Repeat("x|", 20), "|")...)
			c.Truncate(c.Len() - 1)
		}, "request 1, of kind 2: the input ends within it"},
		"too much": {func(c *conversation) {
			c.numbers(judgeKeys, 100, 0)
			for range 100 {
				c.numbers(60 << 20)
			}
		}, "texts of 6291456000 bytes"},
		"too long a reply": {func(c *conversation) {
			c.numbers(judgeSignatures, 1<<20, 0)
			c.Write(bytes.Repeat([]byte{0xff}, 4<<20))
		}, "a reply of more than 268435456 bytes"},
		"a frame": {func(c *conversation) { c.WriteString("{}\n") }, "unexpected EOF"},
	} {
		var talk conversation
		c.send(&talk)
		if _, err := talk.judged(t); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	var long conversation
	long.send(judgeAdd, 0, strings.Repeat("long ", 1000), fox)
	replies, err := long.judged(t, "--max-record", "1KiB")
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(verdictsOf(reply(t, replies, judgeAdd, verdictSize))); got != "[0 0.00 02 0 0.00 00]" {
		t.Errorf("a text that is too long: %s", got)
	}
}

// FuzzRequests reads what no program would send: it must not panic, and take no more memory than
// what came.
func FuzzRequests(f *testing.F) {
	var c conversation
	c.send(judgeAdd, 0, fox, other)
	c.numbers(judgeNames, 1, 0, 3, 0)
	c.numbers(judgeAdd, 1, 1, 3, 2)
	c.WriteString("12abc")
	f.Add(c.Bytes())
	f.Fuzz(func(t *testing.T, sent []byte) {
		r := &requests{
			requestReader: requestReader{src: bufio.NewReader(bytes.NewReader(sent)), maxRecord: 1 << 10},
			sketcher:      &sketching{Sketcher: noSketcher{}}, spare: make(spares, 1),
		}
		for {
			var to stream.Records
			if err := r.ReadRecords(t.Context(), &to); err != nil {
				if len(to.List) > 0 || to.Tag != nil {
					t.Fatalf("%v, and %d records are handed over", err, len(to.List))
				}
				return
			}
			for _, record := range to.List {
				if n := record.Text.End - record.Text.Start; n < 0 || n > r.maxRecord || record.Text.End > len(sent) {
					t.Fatalf("a text of %d bytes of %d", n, len(sent))
				}
			}
			if q, ok := to.Tag.(*question); ok && (len(q.spans) != len(q.lengths) || len(q.text) > len(sent)) {
				t.Fatalf("%d texts of %d bytes, of %d in %d", len(q.spans), len(q.text), len(q.lengths), len(sent))
			}
		}
	})
}

// A noSketcher finds nothing to compare in any text.
type noSketcher struct{}

func (noSketcher) Append(dst []uint64, _ []byte) ([]uint64, bool) { return dst, false }
