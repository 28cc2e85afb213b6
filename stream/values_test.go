package stream

import (
	"slices"
	"testing"
)

func TestValuesOfRecords(t *testing.T) {
	v, err := NewValues([]string{"lang", "meta.n"})
	if err != nil {
		t.Fatal(err)
	}
	for record, want := range map[string][]string{
		`{"lang":"en","meta":{"n":3}}`:        {`"en"`, "3"},
		`{"meta":{"n":"x\"y"},"lang":-1.5e3}`: {"-1.5e3", `"x\"y"`},
		`{"lang":null,"meta":{"n":[1]}}`:      {"", ""},
		`{"lang":true}`:                       {"", ""},
		`{"lang":"en"`:                        {"", ""},
		``:                                    {"", ""},
	} {
		var got []string
		for _, value := range v.Of([]byte(record)) {
			got = append(got, string(value))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", record, got, want)
		}
	}
	if _, err := NewValues([]string{"a", "b[].c"}); err == nil {
		t.Error("no error for a field of several values")
	}
}
