package parameter

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/mithril-stream/mithril-stream/internal/fixedseed"
)

func TestLinesAreReadAsTheyWereWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := Parameter{rapid.String().Draw(t, "name"), rapid.String().Draw(t, "value")}
		line := string(AppendLine(nil, want))
		if strings.Count(line, "\n") != 1 || strings.Count(line, "\t") != 2 {
			t.Fatalf("%q", line)
		}
		got, ok, err := ParseLine(strings.TrimSuffix(line, "\n"))
		if !ok || err != nil || got != want {
			t.Fatalf("%q becomes %+v, %t, %v", line, got, ok, err)
		}
	})
}

func TestOtherLinesAreRefused(t *testing.T) {
	if _, ok, _ := ParseLine("base\tname\tvalue"); ok {
		t.Error("a line of another kind is taken for a parameter")
	}
	for _, line := range []string{"parameter\tname", "parameter\tname\tva\tlue", `parameter	name	\`, `parameter	na\me	value`} {
		if _, ok, err := ParseLine(line); !ok || err == nil {
			t.Errorf("%q: %t, %v", line, ok, err)
		}
	}
}

func TestDifferences(t *testing.T) {
	stored := []Parameter{{"seed", "1"}, {"rows", "9"}, {"old", ""}}
	wanted := []Parameter{{"seed", "1"}, {"rows", "8"}, {"new", "a b"}}
	want := []string{`rows is 9 in it and 8 here`, `new is not known to it and "a b" here`, `old is "" in it and not known here`}
	if got := Differences(stored, wanted, "here"); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if err := CheckNames(append(stored, Parameter{"seed", "2"})); err == nil || CheckNames(stored) != nil {
		t.Errorf("a name that comes twice: %v", err)
	}
}
