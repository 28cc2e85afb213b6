package stream

import "testing"

func TestLiteralsComeInTheOrderOfTheirPlaces(t *testing.T) {
	l := NewLiterals(fieldsOf(t, "a", "b.0", "c"))
	line := []byte(` {"c":"last \"one\"","b":["first"],"x":1,"a":2} `)
	got, err := l.Append(nil, line)
	if err != nil || len(got) != 2 {
		t.Fatalf("%v, %v", got, err)
	}
	for i, want := range []struct {
		field int
		text  string
	}{{2, `"last \"one\""`}, {1, `"first"`}} {
		if g := got[i]; g.Field != want.field || string(line[g.Start:g.End]) != want.text {
			t.Errorf("literal %d is %s of field %d, want %s of %d", i, line[g.Start:g.End], g.Field, want.text,
				want.field)
		}
	}
}

func TestLiteralsOfWhatIsNoRecord(t *testing.T) {
	l := NewLiterals(fieldsOf(t, "a"))
	for line, want := range map[string]string{"{": "the line is not valid JSON",
		"[]": "the line is JSON, but not an object", "": "the line is blank"} {
		if _, err := l.Append(nil, []byte(line)); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", line, err, want)
		}
	}
}
