package tests

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// words are what an option has in a table of tests.
func words(line string) []string { return strings.Fields(line) }

// A variant is a way of writing texts into a file.
type variant struct {
	name    string // of a file
	options string
	head    string
	record  func(id int, text string) string
	tail    string
}

var variants = []variant{
	{"x.jsonl", "", "", func(id int, text string) string {
		return fmt.Sprintf("{\"id\":%d,\"text\":%s}\n", id, strconv.Quote(text))
	}, "not JSON\n{\"id\":1}\n"},
	{"x.jsonl.gz", "--max-record 300 --max-unreadable 1", "", func(id int, text string) string {
		return fmt.Sprintf("{\"text\":%s,\"id\":%d}\n", strconv.Quote(text), id)
	}, ""},
	{"x.json", "", "[", func(id int, text string) string {
		return fmt.Sprintf("%s{\"text\":%s}\n", ","[:min(id, 1)], strconv.Quote(text))
	}, "]"},
	{"x.csv", "--field body", "id,body\r\n", func(id int, text string) string {
		return fmt.Sprintf("%d,\"%s\"\r\n", id, text)
	}, "1,2,3\r\n"},
	{"x.txt", "--record-separator \\n\\n", "", func(id int, text string) string { return text + "\n\n" }, "the end"},
}

// write makes a file of 200 records, of which some are near-duplicates, empty or overlong.
func (v variant) write(t *testing.T, dir string, seed uint64) string {
	rng := rand.New(rand.NewPCG(seed, 1))
	var b bytes.Buffer
	b.WriteString(v.head)
	for id := range 200 {
		topic := rand.New(rand.NewPCG(uint64(rng.IntN(80)), 2))
		var text []string
		for range topic.IntN(60) {
			text = append(text, fmt.Sprintf("%x", topic.Uint32()))
		}
		if len(text) > 20 && rng.IntN(3) == 0 {
			text[rng.IntN(len(text))] = "another" // near the threshold, so that verdicts hang on every option
		}
		b.WriteString(v.record(id, strings.Join(text, " ")))
	}
	b.WriteString(v.tail)
	path := filepath.Join(dir, fmt.Sprint(seed)+v.name)
	if err := os.WriteFile(strings.TrimSuffix(path, ".gz"), b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(path, ".gz") {
		if err := exec.Command("gzip", strings.TrimSuffix(path, ".gz")).Run(); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// TestSketchDedupApply is that the filter in three commands gives what the filter gives: the same
// output byte for byte, the same flags, and an index that knows the same.
func TestSketchDedupApply(t *testing.T) {
	for n, v := range variants {
		for m, o := range []struct{ texts, memory, output string }{
			{"", "", ""},
			{"--shingle-size 2 --num-perm 64", "--remember unseen --filter classic --empty drop", ""},
			{"--bands 20 --rows 5 --tokenize char", "--capacity 50 --index IDX", ""},
			{"--preset fineweb", "--read-only --against OTHER --empty reject", ""},
			{"--tokenize whitespace", "--on-error divert", "--to jsonl"},
		} {
			if testing.Short() && (n+m)%3 != 0 {
				continue
			}
			t.Run(v.name+" "+o.texts+o.memory, func(t *testing.T) {
				threeCommands(t, v, o.texts, o.memory, o.output)
			})
		}
	}
}

func threeCommands(t *testing.T, v variant, texts, memory, output string) {
	dir := t.TempDir()
	a, b := v.write(t, dir, 1), v.write(t, dir, 2)
	file := func(name string) string { return filepath.Join(dir, name) }
	read := words(v.options)
	if strings.Contains(memory, "OTHER") {
		mithril(t, slices.Concat(read, words(texts),
			[]string{"-q", "--index", file("other"), "-o", file("old"), v.write(t, dir, 3)})...)
	}
	memoryOf := func(index string) []string {
		return words(strings.NewReplacer("IDX", file(index), "OTHER", file("other")).Replace(memory))
	}

	whole := slices.Concat(read, words(texts), memoryOf("idx"), words(output),
		[]string{"-q", "-o", file("want"), "--flags", file("want.flags"), a, b})
	if strings.Contains(memory, "divert") {
		whole = append(whole, "--rejects", file("rejects"))
	}
	mithril(t, whole...)

	for i, path := range []string{a, b} {
		mithril(t, slices.Concat([]string{"sketch", "-q", path, "-o", file(fmt.Sprint(i) + ".sketch")},
			read, words(texts))...)
	}
	mithril(t, slices.Concat([]string{"dedup", "-q", file("0.sketch"), file("1.sketch"), "--flags", file("flags")},
		memoryOf("idx3"))...)
	mithril(t, slices.Concat([]string{"apply", "-q", "--flags", file("flags"), a, b, "-o", file("got")}, read,
		words(output))...)
	sameFiles(t, file("flags"), file("want.flags"))
	sameFiles(t, file("got"), file("want"))
	kept, _ := os.ReadFile(file("flags"))
	if all, ones := len(kept)/2, bytes.Count(kept, []byte("1")); all < 400 || ones < 20 || ones > all-20 {
		t.Errorf("%d of %d records are kept: that tests little", ones, all)
	}
	if !strings.Contains(memory, "IDX") {
		return
	}
	for _, index := range []string{"idx", "idx3"} {
		mithril(t, slices.Concat([]string{"dedup", "-q", file("1.sketch"), "-o", file(index + ".again"), "--read-only"},
			memoryOf(index))...)
	}
	sameFiles(t, file("idx3.again"), file("idx.again"))
}

// mithril runs the program, which must succeed.
func mithril(t *testing.T, args ...string) {
	t.Helper()
	path, err := exec.LookPath("mithril-stream")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Env = append(os.Environ(), "MITHRIL_STREAM_CAPACITY=1000") // little memory, which is there at once
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("mithril-stream %s: %v: %s", strings.Join(args, " "), err, out)
	}
}

func sameFiles(t *testing.T, got, want string) {
	t.Helper()
	a, err := os.ReadFile(got)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(want)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a, b) {
		t.Errorf("%s has %d bytes, %s has %d, and they differ", got, len(a), want, len(b))
	}
}
