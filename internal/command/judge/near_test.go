package judge

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// words are n different words, the last of which are others.
func words(n, others int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("word%d", i)
		if i >= n-others {
			list[i] = fmt.Sprintf("other%d", i)
		}
	}
	return strings.Join(list, " ")
}

// With single words, texts of which the last m and n of 100 are others resemble each other by what
// they have in common: the exact similarities are known. Kind 9 names the most similar record, and
// kind 11 all.
func TestJudgeNamesWhatATextResembles(t *testing.T) {
	var c conversation
	c.send(judgeAlike, 0, words(100, 0), words(100, 20), other, words(100, 10), "")
	c.send(judgeAlike, 0, words(100, 0))
	c.numbers(judgeAlike, 1, 1, uint32(len(other)), 3)
	c.WriteString(`"a"` + other)
	c.send(judgeAlike, 0, other)
	c.send(judgeSimilar, 0, words(100, 0))
	c.numbers(judgeNames, 3, 0, 6, 0, 7, 0, 8, 0)
	replies, err := c.judged(t, "--shingle-size", "1", "--threshold", "0.5", "--verify", "text", "--recall", "0.999")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{
		`[] [1:python:1:0.667] [] [1:python:1:0.818] []`,
		`[1:python:1:1.000]`,
		`[3:python:3:1.000]`,
		`[3:python:3:1.000]`, // copies are one record, the first
	} {
		if got := neighboursOf(t, reply(t, replies, judgeAlike, 0)); got != want {
			t.Errorf("request %d: %s, want %s", i, got, want)
		}
	}
	all := neighboursOf(t, reply(t, replies, judgeSimilar, 0))
	if want := `[1:python:1:1.000 4:python:4:0.818 2:python:2:0.667]`; all != want {
		t.Errorf("all: %s, want %s", all, want)
	}
	if got := string(reply(t, replies, judgeNames, 0)); got != `["python:6","a","python:8"]` {
		t.Errorf("names: %s", got)
	}
}

// Of many texts that share their bands, kinds 7 and 11 name all.
func TestJudgeNamesAllOfMany(t *testing.T) {
	const texts = 300
	var c conversation
	for i := range texts {
		c.send(judgeAdd, 0, fmt.Sprint(words(100, 1), i))
	}
	c.send(judgeSimilar, 0, words(100, 1), other, "")
	c.send(judgeSimilar, 7, words(100, 1))
	c.send(judgeNear, 10*texts, words(100, 1))
	replies, err := c.judged(t, "--memory", "exact")
	if err != nil {
		t.Fatal(err)
	}
	for range texts {
		reply(t, replies, judgeAdd, verdictSize)
	}
	counted := func(kind uint32) (counts []int) {
		var lists [][]neighbour
		if err := json.Unmarshal(reply(t, replies, kind, 0), &lists); err != nil {
			t.Fatal(err)
		}
		for _, list := range lists {
			counts = append(counts, len(list))
		}
		return counts
	}
	if got := counted(judgeSimilar); !slices.Equal(got, []int{texts, 0, 0}) {
		t.Errorf("similar: %v", got)
	}
	if got := counted(judgeSimilar); !slices.Equal(got, []int{7}) {
		t.Errorf("7 similar: %v", got)
	}
	if got := counted(judgeNear); !slices.Equal(got, []int{texts}) {
		t.Errorf("near: %v", got)
	}
}

// neighboursOf are the number, the name and the similarity of each neighbour of each text.
func neighboursOf(t *testing.T, reply []byte) string {
	t.Helper()
	var lists [][]struct {
		Number     uint64
		Record     string
		Similarity float64
	}
	if err := json.Unmarshal(reply, &lists); err != nil {
		t.Fatalf("%s: %v", reply, err)
	}
	var texts []string
	for _, list := range lists {
		var shown []string
		for _, n := range list {
			shown = append(shown, fmt.Sprintf("%d:%s:%.3f", n.Number, n.Record, n.Similarity))
		}
		texts = append(texts, fmt.Sprint(shown))
	}
	return strings.Join(texts, " ")
}

// Of samples the part of the one text that is in the other one counts, whichever way it is.
func TestJudgeNamesAllThatHaveAText(t *testing.T) {
	index := filepath.Join(t.TempDir(), "index")
	args := []string{"--sketch", "fracminhash", "--shingle-size", "1", "--contained", "either", "--index", index}
	var c conversation
	c.send(judgeAlike, 0, words(20, 10), words(30, 0), words(10, 0), words(10, 1), "")
	c.send(judgeSimilar, 0, words(10, 1))
	c.send(judgeAdd, 0, words(20, 10), words(40, 0))
	c.send(judgeAsk, 0, words(12, 0))
	c.numbers(judgeNames, 1, 0, 2, 0)
	c.numbers(judgeStats, 0, 0)
	c.numbers(judgeCommit, 0, 0)
	c.send(judgeKeys, 0, fox)
	replies, err := c.judged(t, args...)
	if err == nil || !strings.Contains(err.Error(), "a sample has neither a signature nor band keys") {
		t.Error(err)
	}
	said := reply(t, replies, judgeAlike, 0)
	if got, want := neighboursOf(t, said), "[] [] [1:python:1:1.000] [1:python:1:0.818] []"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	want := "[4:python:4:1.000 1:python:1:0.818 2:python:2:0.818 3:python:3:0.818]"
	if got := neighboursOf(t, reply(t, replies, judgeSimilar, 0)); got != want {
		t.Errorf("all: %s, want %s", got, want)
	}
	if got := fmt.Sprint(verdictsOf(reply(t, replies, judgeAdd, verdictSize))); got != "[1 1.00 10 3 1.00 20]" {
		t.Errorf("added: %s", got)
	}
	if got := fmt.Sprint(verdictsOf(reply(t, replies, judgeAsk, verdictSize))); got != "[2 1.00 10]" {
		t.Errorf("asked: %s", got)
	}
	if got := string(reply(t, replies, judgeNames, 0)); got != `["python:2"]` {
		t.Errorf("names: %s", got)
	}
	if got := string(reply(t, replies, judgeStats, 0)); !strings.HasPrefix(got, `{"records":7,`) {
		t.Errorf("stats: %s", got)
	}
	var later conversation
	later.send(judgeAlike, 0, words(45, 0))
	if replies, err = later.judged(t, args...); err != nil {
		t.Fatal(err)
	}
	if got := string(reply(t, replies, judgeAlike, 0)); !strings.Contains(got, `"similarity":1,"contains":true}`) {
		t.Errorf("another time: %s", got)
	}
}

// Other memories are asked, too, and Bloom filters say that there is something.
func TestJudgeNamesWhatOtherMemoriesKnow(t *testing.T) {
	dir := t.TempDir()
	for i, text := range []string{fox, other} {
		var c conversation
		c.send(judgeAdd, 0, "some text that is in both of the memories", text)
		c.numbers(judgeCommit, 0, 0)
		if _, err := c.judged(t, "--index", filepath.Join(dir, fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
	}
	var c conversation
	c.send(judgeAlike, 0, fox, other, "seen by no memory, this one text here")
	replies, err := c.judged(t, "--against", filepath.Join(dir, "0"), "--index", filepath.Join(dir, "1"))
	if err != nil {
		t.Fatal(err)
	}
	inOther := uint64(1)<<56 | 2 // of the first of the others
	want := fmt.Sprintf("[%d:python:2:1.000] [2:python:2:1.000] []", inOther)
	if got := neighboursOf(t, reply(t, replies, judgeAlike, 0)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	var bloom conversation
	bloom.send(judgeAlike, 0, fox, fox, other)
	if replies, err = bloom.judged(t, "--memory", "bloom"); err != nil {
		t.Fatal(err)
	}
	if got := string(reply(t, replies, judgeAlike, 0)); got != `[[],[{"number":0,"record":null,"similarity":0}],[]]` {
		t.Errorf("bloom: %s", got)
	}
}

// With --memory auto originals are known as long as there is room: here, for three signatures.
func TestJudgeBeyondTheLimit(t *testing.T) {
	index := filepath.Join(t.TempDir(), "index")
	args := []string{"--memory", "auto", "--max-memory", "800", "--index", index}
	var c conversation
	c.send(judgeAlike, 0, fox, other, fox, words(40, 0))
	c.send(judgeAsk, 0, fox)
	c.send(judgeStats, 0)
	c.send(judgeAlike, 0, words(50, 50), strings.ToUpper(other))
	c.send(judgeAsk, 0, fox, words(50, 50), words(60, 60))
	c.send(judgeAdd, 0, fox)
	c.send(judgeStats, 0)
	c.numbers(judgeCommit, 0, 0)
	replies, err := c.judged(t, args...)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := neighboursOf(t, reply(t, replies, judgeAlike, 0)), "[] [] [1:python:1:1.000] []"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := fmt.Sprint(verdictsOf(reply(t, replies, judgeAsk, verdictSize))); got != "[1 1.00 10]" {
		t.Errorf("asked: %s", got)
	}
	if got := string(reply(t, replies, judgeStats, 0)); !strings.HasPrefix(got, `{"records":4,`) ||
		strings.Contains(got, "bloom_from") {
		t.Errorf("stats: %s", got)
	}
	if got := string(reply(t, replies, judgeAlike, 0)); got != `[[],[{"number":0,"record":null,"similarity":0}]]` {
		t.Errorf("beyond the limit: %s", got)
	}
	got := fmt.Sprint(verdictsOf(reply(t, replies, judgeAsk, verdictSize)))
	if got != "[0 0.00 10 0 0.00 10 0 0.00 00]" {
		t.Errorf("asked beyond the limit: %s", got)
	}
	reply(t, replies, judgeAdd, verdictSize)
	got = string(reply(t, replies, judgeStats, 0))
	if !strings.HasPrefix(got, `{"records":7,`) || !strings.Contains(got, `"bloom_from":5`) {
		t.Errorf("stats: %s", got)
	}
	for name, ask := range map[string]func(*conversation){
		"names": func(c *conversation) { c.numbers(judgeNames, 1, 0, 1, 0) },
		"near":  func(c *conversation) { c.send(judgeNear, 3, fox) },
	} {
		var later conversation
		ask(&later)
		if _, err := later.judged(t, args...); err == nil || !strings.Contains(err.Error(), "from record 5 on") {
			t.Errorf("%s of an index that has reached its limit: %v", name, err)
		}
	}
}

// A memory that forgets knows no record of a generation that is dropped, by whatever it is asked,
// and goes on as it was committed.
func TestJudgeForgets(t *testing.T) {
	for _, memory := range [][]string{{"--memory", "exact"}, {"--sketch", "fracminhash"}} {
		index := filepath.Join(t.TempDir(), "index")
		args := append(memory, "--keep-generations", "2", "--capacity", "2", "--index", index)
		third, fourth, fifth := words(30, 0), words(40, 40), strings.ReplaceAll(words(40, 0), "word", "last")
		var first, second conversation
		first.send(judgeAdd, 0, fox, other, third, fourth)
		first.send(judgeAsk, 0, fox, third)
		first.send(judgeAdd, 0, fifth)
		first.send(judgeAsk, 0, fox, third, fifth)
		first.send(judgeNear, 1, fox, third)
		first.numbers(judgeCommit, 0, 0)
		second.send(judgeAsk, 0, other, fourth)
		second.numbers(judgeNames, 1, 0, 4, 0)
		second.send(judgeAlike, 0, fourth)
		replies, err := first.judgedBy(t, args...)
		if err != nil {
			t.Fatal(err)
		}
		reply(t, replies, judgeAdd, verdictSize)
		if got := fmt.Sprint(verdictsOf(reply(t, replies, judgeAsk, verdictSize))); got != "[1 1.00 10 3 1.00 10]" {
			t.Errorf("%v: before: %s", memory, got)
		}
		reply(t, replies, judgeAdd, verdictSize)
		got := fmt.Sprint(verdictsOf(reply(t, replies, judgeAsk, verdictSize)))
		if got != "[0 0.00 00 3 1.00 10 5 1.00 10]" {
			t.Errorf("%v: after: %s", memory, got)
		}
		if got := neighboursOf(t, reply(t, replies, judgeNear, 0)); got != "[] [3:python:3:1.000]" {
			t.Errorf("%v: near: %s", memory, got)
		}
		if replies, err = second.judgedBy(t, args...); err != nil {
			t.Fatal(err)
		}
		got = fmt.Sprint(verdictsOf(reply(t, replies, judgeAsk, verdictSize)))
		if got != "[0 0.00 00 4 1.00 10]" {
			t.Errorf("%v: in the second session: %s", memory, got)
		}
		if got := string(reply(t, replies, judgeNames, 0)); got != `["python:4"]` {
			t.Errorf("%v: names: %s", memory, got)
		}
		if got := neighboursOf(t, reply(t, replies, judgeAlike, 0)); got != "[4:python:4:1.000]" {
			t.Errorf("%v: all that it resembles: %s", memory, got)
		}
	}
}

// TestKeysAreOfWhatIsCompared: the markup of texts has no part in signatures and band keys either.
func TestKeysAreOfWhatIsCompared(t *testing.T) {
	for _, kind := range []uint32{judgeKeys, judgeSignatures} {
		var page, text conversation
		page.send(kind, 0, "<p>the quick <b>brown</b> fox jumps over the lazy dog</p>")
		text.send(kind, 0, "the quick brown fox jumps over the lazy dog")
		ofPage, err := page.judged(t, "--markup", "html")
		if err != nil {
			t.Fatal(err)
		}
		ofText, err := text.judged(t)
		if err != nil {
			t.Fatal(err)
		}
		got, want := reply(t, ofPage, kind, 0), reply(t, ofText, kind, 0)
		if !bytes.Equal(got, want) {
			t.Errorf("kind %d: the page has other keys than its text", kind)
		}
	}
}

// TestJudgeSizes checks that texts are measured as groups --keep fullest measures them: by their
// different runs of three words, in what is compared of them.
func TestJudgeSizes(t *testing.T) {
	for args, want := range map[string][]uint32{
		"":                             {7, 1, 0, 4, 0},
		"--memory bloom --within lang": {7, 1, 0, 4, 0},
		"--method dclm --memory bloom": {7, 1, 0, 4, 0},
		"--markup html --memory bloom": {7, 1, 0, 2, 0},
	} {
		texts := []string{fox, "two words", "", "a <b>c</b> d e", " "}
		var c conversation
		if strings.Contains(args, "within") {
			c.sendWithin(judgeSizes, 0, make([]string, len(texts)), texts)
		} else {
			c.send(judgeSizes, 0, texts...)
		}
		replies, err := c.judged(t, strings.Fields(args)...)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]uint32, len(texts))
		if _, err := binary.Decode(reply(t, replies, judgeSizes, 0), binary.LittleEndian, got); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %d, want %d", args, got, want)
		}
	}
}
