package chaos

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/klauspost/compress/zstd"
)

const mib = 1 << 20

// A hungry input is the worst that is known for its format.
type hungry struct {
	name    string
	args    []string
	write   func(w io.Writer)
	longest int    // bytes of the longest record
	factor  int    // how many times these it may take, as the documents state; 0 is 2
	more    int    // bytes beside 64 MiB and that, as they state too
	suffix  string // of the input; .parquet for what becomes Parquet first
}

var hungryInputs = []hungry{
	{name: "words", write: record("word and ", 32*mib), longest: 32 * mib},
	{name: "Chinese", write: record("的一是不了人我在有他", 32*mib), longest: 32 * mib},
	{name: "ligatures", write: record("\uFDFA", 4*mib), longest: 4 * mib},
	{name: "words by UAX 29", args: []string{"--tokenize", "uax29"}, write: record("\uFDFA", 4*mib), longest: 4 * mib},
	{name: "clusters", args: []string{"--tokenize", "grapheme"}, write: record("ก", 16*mib), longest: 16 * mib},
	{name: "words by a dictionary", args: []string{"--tokenize", "chinese"}, write: record("的ก", 32*mib),
		longest: 32 * mib},
	{name: "escapes", write: record(`\u4e2d\u6587 `, 32*mib), longest: 32 * mib},
	{name: "deep", args: []string{"--on-error", "keep"}, longest: 16 * mib,
		write: repeat(`{"text":"x","a":`, "[", "1", "]", "}\n", 8*mib)},
	{name: "too long", write: record("word and ", 300*mib), longest: 64 * mib},
	{name: "blank lines", write: repeat("", "\n", "", "", "", 16*mib)},
	{name: "lines of a letter", args: []string{"--format", "text"}, write: repeat("", "a\n", "", "", "", 2*mib)},
	{name: "rows of a letter", args: []string{"--format", "csv"}, write: repeat("text\n", "a\n", "", "", "", 2*mib)},
	{name: "array", args: []string{"--format", "json"}, longest: 32 * mib,
		write: repeat(`[{"text":"`, "word and ", "", "", `"}]`, 32*mib/9)},
	{name: "CSV", args: []string{"--format", "csv"}, longest: 32 * mib,
		write: repeat("id,text\n1,\"", `word ""and"" `, "", "", "\"\n", 32*mib/13)},
	{name: "CSV that is never closed", args: []string{"--format", "csv"}, longest: 64 * mib,
		write: repeat("id,text\n1,\"", "word and\n", "", "", "", 300*mib/9)},
	{name: "lines", args: []string{"--format", "text"}, longest: 32 * mib,
		write: repeat("", "word and ", "", "", "\n", 32*mib/9)},
	{name: "web archive", args: []string{"--format", "warc"}, write: archive(8, 32*mib), longest: 32 * mib,
		suffix: ".warc.gz"},
	{name: "gzip of much", args: []string{"--on-error", "keep"}, longest: 64 * mib,
		write: packed(repeat("", "a", "", "", "\n", 300*mib))},
	{name: "zstd with a wide window", write: wide, longest: 8 * mib, more: 2 * 128 * mib},
	// a page of the input and one of the output are held beside the row
	{name: "Parquet", write: record("word and ", 32*mib), longest: 32 * mib, more: 2 * 32 * mib, suffix: ".parquet"},
	{name: "exact", args: []string{"--memory", "exact", "--max-memory", "64MiB"}, more: 64 * mib,
		write: many(300_000)},
	{name: "exact, words", args: []string{"--memory", "exact"}, longest: 8 * mib, factor: 60, write: someWords},
	{name: "dclm", args: method("dclm"), longest: 8 * mib, factor: 60, more: 160 * mib, write: someWords},
	{name: "dolma-ngram", args: method("dolma-ngram"), longest: 8 * mib, factor: 60, more: 160 * mib,
		write: someLines, suffix: ".csv"},
	{name: "bloom-ngrams", args: method("bloom-ngrams"), longest: 8 * mib, factor: 60, more: 160 * mib,
		write: someWords},
	{name: "ccnet", args: method("ccnet"), longest: 8 * mib, factor: 60, more: 160 * mib, write: someLines,
		suffix: ".csv"},
	{name: "boilerplate", args: []string{"boilerplate", "--memory", "64MiB"}, longest: 8 * mib, factor: 20,
		more: 64 * mib, write: someLines, suffix: ".csv"},
	{name: "contaminate", args: []string{"contaminate", "--items", "../../testdata/crawl.jsonl.gz"},
		longest: 8 * mib, factor: 30, write: someWords},
	{name: "ligatures, normalized as a whole", args: []string{"--normalize", "nfkc"}, longest: 3 * mib, factor: 100,
		write: record("\uFDFA", 3*mib)},
	{name: "ligatures that are equal", args: []string{"--equal", "--field", "text", "--normalize", "nfkc-fold"},
		longest: 3 * mib, factor: 100, write: record("\uFDFA", 3*mib)},
	{name: "ligatures of a page", args: []string{"--markup", "html"}, longest: 3 * mib, factor: 20,
		write: record("\uFDFA", 3*mib)},
	{name: "members left out", args: []string{"--equal", "--field", "{-id}"}, longest: 8 * mib, factor: 20,
		write: members(8 * mib)},
	{name: "groups", args: []string{"groups"}, longest: 8 * mib, factor: 60, write: someWords},
	{name: "templates", args: []string{"templates"}, longest: 8 * mib, factor: 60, write: someWords},
}

// method is for an index with room for all parts, which takes up to 160 MiB.
func method(name string) []string { return []string{"--method", name, "--parts", "20M"} }

// Records of as many words and lines as have room. They come one after the other, as a
// batch that has held one is to give back the memory.
var (
	someWords = several(`{"text":"`, "\"}\n", func(r *rand.Rand) string { return string(rune('A'+r.IntN(26))) + " " })
	someLines = several("\"", "\"\n", func(r *rand.Rand) string { return string(rune('a'+r.IntN(26))) + "\n" })
)

// several writes three records of 8 MiB.
func several(before, after string, piece func(*rand.Rand) string) func(io.Writer) {
	return func(w io.Writer) {
		r := rand.New(rand.NewPCG(1, 2))
		if before == "\"" { // of CSV
			io.WriteString(w, "text\n")
		}
		for range 3 {
			var text strings.Builder
			for text.Len() < 8*mib {
				text.WriteString(piece(r))
			}
			io.WriteString(w, before+text.String()+after)
		}
	}
}

// TestMemory is the promise of docs/reference/small.md, in each format, for the worst input that is
// known.
func TestMemory(t *testing.T) {
	for _, h := range hungryInputs {
		t.Run(h.name, func(t *testing.T) {
			input := filepath.Join(t.TempDir(), "input"+h.suffix)
			h.make(t, input)
			promise := 64*mib + cmp.Or(h.factor, 2)*h.longest + h.more
			peak := peakOf(t, append(h.args, input))
			for again := 0; peak > promise && again < 2; again++ { // on a busy machine the collector comes late
				peak = min(peak, peakOf(t, append(h.args, input)))
			}
			if peak > promise {
				t.Errorf("took %d MiB, not the %d that are promised", peak/mib, promise/mib)
			} else {
				t.Logf("%d of %d MiB", peak/mib, promise/mib)
			}
		})
	}
}

func (h hungry) make(t *testing.T, path string) {
	t.Helper()
	lines := strings.TrimSuffix(path, ".parquet")
	f, err := os.Create(lines)
	if err != nil {
		t.Fatal(err)
	}
	h.write(f)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if lines != path {
		toParquet(t, lines, path, 1)
	}
}

// peakOf runs the program on a small index, and returns the memory that it says it has taken. That
// one file could not be read to its end, or one record, is no failure here. What commands take that
// do not say so is the system's to say (measured).
func peakOf(t *testing.T, args []string) int {
	t.Helper()
	if !strings.HasPrefix(args[0], "-") && !filepath.IsAbs(args[0]) {
		return measured(t, append(args, "-q", "-o", os.DevNull))
	}
	stats := filepath.Join(t.TempDir(), "stats")
	if !slices.Contains(args, "--parts") {
		args = append(args, "--capacity", "1000")
	}
	cmd := exec.Command(program, append(args, "-q", "--stats", stats)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err := cmd.Run()
	if code := cmd.ProcessState.ExitCode(); err != nil && code != 3 && code != 4 {
		t.Fatalf("%v: %v: %s", cmd, err, &stderr)
	}
	text, err := os.ReadFile(stats)
	if err != nil {
		t.Fatal(err)
	}
	var said struct {
		Peak int `json:"peak_memory_bytes"`
	}
	if err := json.Unmarshal(text, &said); err != nil || said.Peak == 0 {
		t.Fatalf("%s says no peak: %v", text, err)
	}
	return said.Peak
}

// measuring is the variable of the environment that has this program measure another one.
const measuring = "CHAOS_MEASURES"

// measured is the memory that the program takes, as the system says. That is no less than the
// memory of the process which starts it, so one that is small does.
func measured(t *testing.T, args []string) int {
	t.Helper()
	cmd := exec.Command(os.Args[0], append([]string{program}, args...)...)
	cmd.Env = append(os.Environ(), measuring+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v: %s", cmd, err, out)
	}
	peak, err := strconv.Atoi(string(out))
	if err != nil {
		t.Fatal(err)
	}
	return peak
}

// measure runs a command, and prints the memory that it has taken, in bytes.
func measure(args []string) int {
	cmd := exec.Command(args[0], args[1:]...)
	if out, err := cmd.CombinedOutput(); err != nil {
		fmt.Printf("%v: %s", err, out)
		return 1
	}
	fmt.Print(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10)
	return 0
}

// repeat writes what stands before, a piece many times, what stands between, another piece as many
// times, and what stands after.
func repeat(before, piece, between, back, after string, times int) func(io.Writer) {
	return func(w io.Writer) {
		io.WriteString(w, before)
		many := func(piece string) {
			block := strings.Repeat(piece, 1<<10)
			for n := times; n > 0; n -= 1 << 10 {
				io.WriteString(w, block[:len(piece)*min(n, 1<<10)])
			}
		}
		many(piece)
		io.WriteString(w, between)
		many(back)
		io.WriteString(w, after)
	}
}

// record is a JSON record whose text has about that many bytes.
func record(piece string, size int) func(io.Writer) {
	return repeat(`{"text":"`, piece, "", "", "\"}\n", size/len(piece))
}

// members is a record of short members.
func members(size int) func(io.Writer) {
	return func(w io.Writer) {
		n, _ := io.WriteString(w, `{"id":1`)
		for i := 0; n < size; i++ {
			k, _ := fmt.Fprintf(w, `,"%x":1`, i)
			n += k
		}
		io.WriteString(w, "}\n")
	}
}

// many are short records that have nothing in common.
func many(count int) func(io.Writer) {
	return func(w io.Writer) {
		for i := range count {
			fmt.Fprintf(w, "{\"text\":\"%d a%d b%d c%d d%d e%d f%d\"}\n", i, i, i*3, i*5, i*7, i*11, i*13)
		}
	}
}

func packed(write func(io.Writer)) func(io.Writer) {
	return func(w io.Writer) {
		z := gzip.NewWriter(w)
		write(z)
		z.Close()
	}
}

// archive has pages of that length, packed twice as crawlers do.
func archive(count, size int) func(io.Writer) {
	return func(w io.Writer) {
		var body bytes.Buffer
		packed(repeat("", "<p>word and", "", "", "", size/11))(&body)
		for i := range count {
			packed(func(w io.Writer) {
				head := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n"
				fmt.Fprintf(w, "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:%d>\r\n"+
					"Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%s%s\r\n\r\n",
					i, len(head)+body.Len(), head, body.Bytes())
			})(w)
		}
	}
}

// wide is what zstd --long makes of records that cannot be compressed away.
func wide(w io.Writer) {
	z, err := zstd.NewWriter(w, zstd.WithWindowSize(128*mib), zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		panic(err)
	}
	random := rand.NewChaCha8([32]byte{})
	text := make([]byte, mib)
	for range 200 {
		random.Read(text)
		fmt.Fprintf(z, "{\"text\":\"%x\"}\n", text)
	}
	z.Close()
}
