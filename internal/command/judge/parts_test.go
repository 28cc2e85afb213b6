package judge

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// span is a text of numbered words.
func span(word string, from, to int) string {
	var list []string
	for i := from; i < to; i++ {
		list = append(list, fmt.Sprint(word, i))
	}
	return strings.Join(list, " ")
}

// Texts go by parts of them that any earlier ones have together: of a few as of many, by filters
// that are committed, read alone and asked beside others, and by a set.
func TestJudgeByParts(t *testing.T) {
	index, byParts := filepath.Join(t.TempDir(), "index"), []string{"--overlap", ".8", "--method"}
	pieced := span("a", 0, 200) + " " + span("b", 300, 450)
	for _, memory := range [][]string{
		append(byParts, "dclm", "--scale", "16", "--index", index), append(byParts, "dolma-ngram", "--parts", "9000"),
		append(byParts, "dclm", "--memory", "exact"), append(byParts[:2:2], "--preset", "dolma-ngram", "--scale", "4"),
	} {
		texts := []string{span("a", 0, 220), span("b", 280, 450), pieced, span("c", 700, 900), ""}
		var c conversation
		for _, kind := range []uint32{judgeAsk, judgeAdd, judgeAsk} { // few at a time
			c.send(kind, 0, texts...)
		}
		c.send(judgeAlike, 0, pieced, span("d", 0, 200))
		c.send(judgeAdd, 0, append(texts, strings.Split(strings.Repeat("a b c d e f g|", 2000), "|")...)...)
		c.numbers(judgeStats, 0, 0)
		if memory[len(memory)-1] == index {
			c.numbers(judgeCommit, 0, 0)
		}
		replies, err := c.judgedBy(t, memory...)
		if err != nil {
			t.Fatal(memory, err)
		}
		for i, want := range []string{
			"[0 0.00 00 0 0.00 00 0 0.00 00 0 0.00 00 0 0.00 01]",
			"[0 0.00 00 0 0.00 00 0 0.00 10 0 0.00 00 0 0.00 01]",
			"[0 0.00 10 0 0.00 10 0 0.00 10 0 0.00 10 0 0.00 01]",
		} {
			kind := []uint32{judgeAsk, judgeAdd, judgeAsk}[i]
			if got := fmt.Sprint(verdictsOf(reply(t, replies, kind, verdictSize))); got != want {
				t.Errorf("%v: reply %d is %s, want %s", memory, i, got, want)
			}
		}
		if got := string(reply(t, replies, judgeAlike, 0)); got != `[[{"number":0,"record":null,"similarity":0}],[]]` {
			t.Errorf("%v: alike: %s", memory, got)
		}
		removed := 0
		for _, verdict := range verdictsOf(reply(t, replies, judgeAdd, verdictSize)) {
			if strings.HasSuffix(verdict, " 10") {
				removed++
			}
		}
		if removed != 4+1999 {
			t.Errorf("%v: %d of many are removed", memory, removed)
		}
		if got := string(reply(t, replies, judgeStats, 0)); strings.HasPrefix(got, `{"records":0,"bytes":0`) ||
			!strings.Contains(got, `"num_perm":1,"bands":1,"rows":1,"votes":1,"shingle_size":5}`) {
			t.Errorf("%v: stats: %s", memory, got)
		}
	}
	// What was committed is asked by a judge that adds nothing, and beside another memory.
	parts := append(byParts, "dclm", "--scale", "16")
	for _, memory := range [][]string{{"--index", index, "--read-only"}, {"--against", index}} {
		var c conversation
		c.send(judgeAdd, 0, pieced, span("e", 0, 50), span("e", 0, 50))
		c.send(judgeAsk, 0, span("c", 700, 900))
		replies, err := c.judgedBy(t, append(parts, memory...)...)
		if err != nil {
			t.Fatal(memory, err)
		}
		want := "[0 0.00 10 0 0.00 00 0 0.00 10]"
		if memory[0] == "--index" { // nothing is added
			want = "[0 0.00 10 0 0.00 00 0 0.00 00]"
		}
		if got := fmt.Sprint(verdictsOf(reply(t, replies, judgeAdd, verdictSize))); got != want {
			t.Errorf("%v: %s, want %s", memory, got, want)
		}
		if got := fmt.Sprint(verdictsOf(reply(t, replies, judgeAsk, verdictSize))); got != "[0 0.00 10]" {
			t.Errorf("%v: asked: %s", memory, got)
		}
	}
	var other conversation
	if _, err := other.judgedBy(t, append(byParts, "dclm", "--scale", "4", "--index", index)...); err == nil ||
		!strings.Contains(err.Error(), "scale is 16 in it and 4 here") {
		t.Errorf("at another scale: %v", err)
	}
}

// Parts have no names, signatures or band keys, and say so.
func TestJudgeByPartsNamesNothing(t *testing.T) {
	for kind, want := range map[uint32]string{
		judgeKeys: "have neither a signature nor band keys: leave out --method dolma",
		judgeNear: "are in no single record: leave out --method dolma", judgeNames: "are in no single record",
	} {
		var c conversation
		if kind == judgeNames {
			c.numbers(kind, 1, 0, 1, 0)
		} else {
			c.send(kind, 1, fox)
		}
		if _, err := c.judgedBy(t, "--method", "dolma"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a request of kind %d: %v", kind, err)
		}
	}
}
