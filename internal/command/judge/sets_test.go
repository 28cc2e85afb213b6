package judge

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"
)

// setsIn divides a reply of judgeSets.
func setsIn(t *testing.T, reply []byte, texts int) (sets []string) {
	t.Helper()
	rest := reply[4*texts:]
	for i := range texts {
		n := binary.LittleEndian.Uint32(reply[4*i:])
		sets = append(sets, string(rest[:n]))
		rest = rest[n:]
	}
	if len(rest) > 0 {
		t.Errorf("%d bytes more than all sets have", len(rest))
	}
	return sets
}

var compareSets = []string{"--memory", "exact", "--shingle-size", "1", "--threshold", "0.85", "--recall", "0.98"}

// What another program compares by sets has the similarity that it would have here.
func TestSetsOfOtherProgramsAreCompared(t *testing.T) {
	var ask conversation
	ask.send(judgeSets, 0, words(100, 0), words(100, 5), words(100, 10), "", words(100, 0))
	replies, err := ask.judged(t, compareSets...)
	if err != nil {
		t.Fatal(err)
	}
	sets := setsIn(t, reply(t, replies, judgeSets, 0), 5)
	if sets[3] != "" || sets[0] != sets[4] {
		t.Errorf("a text without words has a set of %d bytes, or equal texts have different sets", len(sets[3]))
	}
	var compare conversation
	compare.send(judgeCompare, 0, sets[0], sets[1], sets[0], sets[2], sets[4], sets[0])
	compare.send(judgeCompare, 0)
	if replies, err = compare.judged(t, compareSets...); err != nil {
		t.Fatal(err)
	}
	got := reply(t, replies, judgeCompare, 0)
	for i, want := range []string{"0.905 1", "0.818 0", "1.000 1"} {
		similarity := math.Float32frombits(binary.LittleEndian.Uint32(got[8*i:]))
		if found := fmt.Sprintf("%.3f %d", similarity, binary.LittleEndian.Uint32(got[8*i+4:])); found != want {
			t.Errorf("pair %d: %s, want %s", i, found, want)
		}
	}
	if none := reply(t, replies, judgeCompare, 0); len(none) > 0 {
		t.Errorf("no pairs: %q", none)
	}
}

// Malformed sets end the command, and so does asking a memory that keeps no sets.
func TestOddSetsAreRefused(t *testing.T) {
	odd := strings.Repeat("\xff", 64)
	for _, test := range []struct {
		args  []string
		texts []string
		want  string
	}{
		{compareSets, []string{"1234567", "1234567"}, "set 1 has 7 bytes, which no set can have"},
		{compareSets, []string{"", ""}, "sets 1 and 2: this is not a signature and a set of these settings"},
		{compareSets, []string{odd, odd}, "sets 1 and 2: this is not a signature and a set of these settings"},
		{compareSets, []string{"12345678"}, "a count of 1, which must be even for this kind"},
		{[]string{"--memory", "bloom"}, []string{"", ""}, "only --memory exact compares sets"},
		{[]string{"--verify", "signature"}, []string{"", ""}, "only --memory exact compares sets"},
		{compareSets[:6], []string{"", ""}, "found by their rarest words, without band keys: give --recall 0.98"},
	} {
		var c conversation
		c.send(judgeCompare, 0, test.texts...)
		if _, err := c.judged(t, test.args...); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: %v; want %q", test.args, err, test.want)
		}
	}
	var c conversation
	c.send(judgeSets, 0, "a")
	_, err := c.judged(t, "--memory", "bloom")
	if err == nil || !strings.Contains(err.Error(), "only --memory exact compares sets") {
		t.Errorf("sets of filters: %v", err)
	}
}
