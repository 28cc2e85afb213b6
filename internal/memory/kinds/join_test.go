package kinds

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Kinds that differ in one word are one if that has four values or more, and three others are the
// same; and what they have in common is what the texts of all have.
func TestJoined(t *testing.T) {
	kindsOf := func(texts ...string) (told []string) {
		var all []*Counted
		for i, of := range texts {
			k := &Counted{number: uint64(i + 1)}
			for text := range strings.SplitSeq(of, " | ") {
				k.Records++
				k.Template.Add([]byte(text))
			}
			all = append(all, k)
		}
		before := all[0].Template.String()
		for _, k := range joined(all) {
			told = append(told, fmt.Sprint(k.Records, " ", k.Template.String()))
		}
		if all[0].Template.String() != before {
			t.Errorf("%q has become %q", before, all[0].Template.String())
		}
		return told
	}
	for _, c := range []struct{ texts, want []string }{
		{
			[]string{
				"Invalid user anna from 10.0.0.1 | Invalid user anna from 10.0.0.2", "Invalid user bob from 10.0.0.1",
				"Invalid user x from 10.0.0.1", "session closed for user bob", "Invalid user git from 10.7.0.1",
			},
			[]string{"5 Invalid user <*> from 10.<*>", "1 session closed for user bob"},
		},
		{
			[]string{"user a is in", "user b is in", "user c is in"},
			[]string{"1 user a is in", "1 user b is in", "1 user c is in"},
		},
		{
			[]string{"a is in", "b is in", "c is in", "d is in"},
			[]string{"1 a is in", "1 b is in", "1 c is in", "1 d is in"},
		},
		{
			[]string{"read a of b in c d1 | read a of b in c d2", "read a of b in c d7"},
			[]string{"3 read a of b in c <*>"},
		},
		{
			[]string{"put a to x", "put b to x", "put c to x now", "put d to x", "put e to x", "put f to y"},
			[]string{"4 put <*> to x", "1 put c to x now", "1 put f to y"},
		},
	} {
		if got := kindsOf(c.texts...); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.texts, got, c.want)
		}
	}
}
