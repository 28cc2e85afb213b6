package judge

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// sendWithin sends texts with the values of --within, which are JSON, or "" for none.
func (c *conversation) sendWithin(kind, argument uint32, values, texts []string) {
	c.numbers(kind, uint32(len(texts)), argument)
	for _, text := range texts {
		c.numbers(uint32(len(text)))
	}
	for _, value := range values {
		if value == "" {
			c.numbers(1<<32 - 1)
		} else {
			c.numbers(uint32(len(value)))
		}
	}
	c.WriteString(strings.Join(values, "") + strings.Join(texts, ""))
}

// withinTexts are texts of several values, with copies under the same value and under others.
func withinTexts(n int) (values, texts []string) {
	all := []string{`"de"`, `"d\u0065"`, `"en"`, "1", `"1"`, "1.0", ""}
	for i := range n {
		value := all[i*5%len(all)]
		values = append(values, value)
		texts = append(texts, fmt.Sprintf("record %d tells of %[1]d things and %[1]d others here", i%(n/4)))
	}
	return values, texts
}

// duplicatesOf says of each text of a reply whether it is a duplicate.
func duplicatesOf(body []byte) (list []bool) {
	for ; len(body) > 0; body = body[verdictSize:] {
		list = append(list, body[14] > 0)
	}
	return list
}

// TestJudgeWithin checks that verdicts with --within equal those of a run for each value alone,
// whether few or many texts are sent at a time.
func TestJudgeWithin(t *testing.T) {
	for name, args := range map[string]string{
		"exact":   "",
		"sets":    "--verify text",
		"filters": "--memory bloom",
		"samples": "--sketch fracminhash --scale 4",
		"parts":   "--method dclm --memory bloom",
	} {
		for _, n := range []int{8, 1100} {
			t.Run(fmt.Sprintf("%s, %d texts", name, n), func(t *testing.T) {
				args := strings.Fields(args)
				values, texts := withinTexts(n)
				want := make([]bool, n)
				for _, value := range []string{`"de"`, `"en"`, "1", `"1"`, "1.0", ""} {
					var c conversation
					var at []int
					for i := range values {
						if values[i] == value || value == `"de"` && values[i] == `"d\u0065"` {
							at = append(at, i)
						}
					}
					var some []string
					for _, i := range at {
						some = append(some, texts[i])
					}
					c.send(judgeAdd, 0, some...)
					replies, err := c.judged(t, args...)
					if err != nil {
						t.Fatal(err)
					}
					for j, is := range duplicatesOf(reply(t, replies, judgeAdd, verdictSize)) {
						want[at[j]] = is
					}
				}
				var c conversation
				c.sendWithin(judgeAdd, 0, values, texts)
				c.sendWithin(judgeAsk, 0, values, texts)
				c.sendWithin(judgeAsk, 0, slices.Repeat([]string{`"none"`}, n), texts)
				replies, err := c.judged(t, append(args, "--within", "lang")...)
				if err != nil {
					t.Fatal(err)
				}
				got := duplicatesOf(reply(t, replies, judgeAdd, verdictSize))
				if !slices.Equal(got, want) || n > 8 && !slices.Contains(got, true) {
					t.Errorf("duplicates are %v, want %v", got, want)
				}
				if slices.Contains(duplicatesOf(reply(t, replies, judgeAsk, verdictSize)), false) {
					t.Error("a text that was added is not known")
				}
				if slices.Contains(duplicatesOf(reply(t, replies, judgeAsk, verdictSize)), true) {
					t.Error("a text of a new value is known")
				}
			})
		}
	}
}

// TestJudgeWithinNames: neighbours are of the same value, and ids go with values.
func TestJudgeWithinNames(t *testing.T) {
	var c conversation
	ids := []string{`"a"`, `"b"`}
	c.numbers(judgeAlike, 2, 1, uint32(len(fox)), uint32(len(fox)), 3, 3)
	c.WriteString(strings.Join(ids, ""))
	c.numbers(4, 4)
	c.WriteString(`"de""en"` + fox + fox)
	c.sendWithin(judgeNear, 5, []string{`"en"`, `"fr"`}, []string{fox, fox})
	c.sendWithin(judgeAlike, 0, []string{`"de"`}, []string{fox})
	replies, err := c.judged(t, "--within", "lang")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{
		`[[],[]]`, `[[{"number":2,"record":"b","similarity":1}],[]]`,
		`[[{"number":1,"record":"a","similarity":1}]]`,
	} {
		if got := reply(t, replies, []uint32{judgeAlike, judgeNear, judgeAlike}[i], 0); string(got) != want {
			t.Errorf("reply %d is %s, want %s", i+1, got, want)
		}
	}
}

// TestJudgeKeysWithin checks that two texts have a band key in common only if they also have the
// value in common, and that what has nothing to compare has no keys whatever its value is.
func TestJudgeKeysWithin(t *testing.T) {
	for _, c := range []struct {
		within string
		values []string
		group  []int // those of equal numbers have equal values
	}{
		{"lang", []string{`"de"`, `"d\u0065"`, `"en"`, "1", `"1"`, "1.0", "", `""`, "true", `"true"`, "false"},
			[]int{0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
		{"u:domain", []string{`"http://a.b.co.uk/x"`, `"b.co.uk"`, `"http://c.co.uk/"`, ""}, []int{0, 0, 1, 2}},
	} {
		var ask conversation
		n := len(c.values)
		texts := append(slices.Repeat([]string{fox}, n), make([]string, n)...)
		ask.sendWithin(judgeKeys, 0, append(c.values, c.values...), texts)
		replies, err := ask.judged(t, "--within", c.within, "--bands", "4", "--rows", "4")
		if err != nil {
			t.Fatal(err)
		}
		const size = 4 * 16
		keys := reply(t, replies, judgeKeys, 0)
		if len(keys) != 2*n*size || len(bytes.Trim(keys[n*size:], "\x00")) > 0 {
			t.Fatalf("--within %s: the reply of %d bytes has keys of texts without content", c.within, len(keys))
		}
		for i := range n {
			for at := 0; at < size; at += 16 {
				is := bytes.Equal(keys[at:at+16], keys[i*size+at:i*size+at+16])
				if is != (c.group[i] == c.group[0]) {
					t.Errorf("--within %s: %s and %s have equal keys: %v", c.within, c.values[0], c.values[i], is)
				}
			}
		}
	}
}

// TestJudgeWithinRefuses: what is no value, and what values have nothing to do with.
func TestJudgeWithinRefuses(t *testing.T) {
	for _, value := range []string{"null", "True", "tru", `{}`, `["a"]`, `"a`, ` 1`, "1 ", "NaN", "\"a\n\""} {
		var c conversation
		c.sendWithin(judgeAdd, 0, []string{value}, []string{fox})
		_, err := c.judged(t, "--within", "lang")
		wantError(t, err, "the value of text 1 is not a string, number or boolean in JSON")
	}
	var c conversation
	c.sendWithin(judgeSignatures, 0, []string{"1"}, []string{fox})
	_, err := c.judged(t, "--within", "lang")
	wantError(t, err, "leave out --within")
	c.Reset()
	c.numbers(judgeAdd, 1, 0, 1, 1<<20)
	_, err = c.judged(t, "--within", "lang")
	wantError(t, err, "a value of 1048576 bytes")
	c.Reset()
	c.send(judgeAdd, 0, fox) // without a value
	_, err = c.judged(t, "--within", "lang")
	wantError(t, err, "a value of ")
}

func wantError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("the error is %v, want %q", err, want)
	}
}
