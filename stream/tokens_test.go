package stream

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestTokenIDs(t *testing.T) {
	field, err := ParseField("v")
	if err != nil {
		t.Fatal(err)
	}
	p := TokenIDs(JSONLines([]Field{field})).newParser()
	for record, want := range map[string]string{
		`{"v":[1,20,3]}`: "1 20 3", `{"v": [ 1 , 0 ] }`: "1 0", `{"v":"[7]"}`: "7", `{"v":[-1,18446744073709551615]}`: "-1 18446744073709551615",
	} {
		if words, got := p.text([]byte(record)); got.kind != readable || string(words) != want {
			t.Errorf("%s: %v, %q", record, got.Name(), words)
		}
	}
	for record, want := range map[string]kind{
		`{"v":[]}`: emptyText, `{"v":[ ]}`: emptyText, `{"v":[1.5]}`: notTokens, `{"v":[1e3]}`: notTokens,
		`{"v":["1"]}`: notTokens, `{"v":[[1]]}`: notTokens, `{"v":[null]}`: notTokens, `{"v":1}`: notTokens,
		`{"v":"1,2"}`: notTokens, `{"v":"[01]"}`: notTokens, `{"v":"[-0]"}`: notTokens, `{"v":"[1 2]"}`: notTokens,
		`{"v":[184467440737095516150]}`: notTokens, `{"v":"[1,]"}`: notTokens, `{"v":null}`: notTokens,
		`{"x":[1]}`: noField, `{"v":[1,2]`: badJSON, `[1]`: notObject,
	} {
		if words, got := p.text([]byte(record)); got.kind != want || words != nil {
			t.Errorf("%s: %v, %q, want %v", record, got.Name(), words, kindNames[want])
		}
	}
}

// Records with tokens are called by a field, as others are.
func TestTokenIDsHaveIDs(t *testing.T) {
	if err := CheckID(TokenIDs(JSONLines([]Field{{}})), "id"); err != nil {
		t.Error(err)
	}
}

// FuzzTokenIDs: what is read as tokens are the numbers that encoding/json reads, as they stand.
func FuzzTokenIDs(f *testing.F) {
	for _, list := range []string{"[1,2]", "[ -1 ,0]", "[]", "[1,]", `["1"]`, "[[1]]", "[null]", "[1e3]", "[0x1]", "1"} {
		f.Add([]byte(list))
	}
	f.Fuzz(func(t *testing.T, list []byte) {
		field, _ := ParseField("v")
		record := append(append([]byte(`{"v":`), list...), '}')
		words, p := TokenIDs(JSONLines([]Field{field})).newParser().text(record)
		var want struct{ V []json.Number }
		if p.kind != readable || len(list) == 0 || strings.TrimSpace(string(list))[0] != '[' {
			return
		}
		if err := json.Unmarshal(record, &want); err != nil {
			t.Fatalf("%s is %q, and %v", record, words, err)
		}
		var numbers []string
		for _, n := range want.V {
			numbers = append(numbers, n.String())
		}
		if got := strings.Join(numbers, " "); got != string(words) {
			t.Errorf("%s is %q, want %q", record, words, got)
		}
	})
}
