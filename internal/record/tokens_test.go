package record

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
	p := TokenIDs(JSONLines([]Field{field})).NewParser()
	for record, want := range map[string]string{
		`{"v":[1,20,3]}`: "1 20 3", `{"v": [ 1 , 0 ] }`: "1 0", `{"v":"[7]"}`: "7", `{"v":[-1,18446744073709551615]}`: "-1 18446744073709551615",
	} {
		if words, got := p.Text([]byte(record)); !got.IsReadable() || string(words) != want {
			t.Errorf("%s: %v, %q", record, got.Name(), words)
		}
	}
	for record, want := range map[string]Kind{
		`{"v":[]}`: KindEmptyText, `{"v":[ ]}`: KindEmptyText, `{"v":[1.5]}`: KindNotTokens, `{"v":[1e3]}`: KindNotTokens,
		`{"v":["1"]}`: KindNotTokens, `{"v":[[1]]}`: KindNotTokens, `{"v":[null]}`: KindNotTokens, `{"v":1}`: KindNotTokens,
		`{"v":"1,2"}`: KindNotTokens, `{"v":"[01]"}`: KindNotTokens, `{"v":"[-0]"}`: KindNotTokens, `{"v":"[1 2]"}`: KindNotTokens,
		`{"v":[184467440737095516150]}`: KindNotTokens, `{"v":"[1,]"}`: KindNotTokens, `{"v":null}`: KindNotTokens,
		`{"x":[1]}`: KindNoField, `{"v":[1,2]`: KindBadJSON, `[1]`: KindNotObject,
	} {
		if words, got := p.Text([]byte(record)); got.Kind() != want || words != nil {
			t.Errorf("%s: %v, %q, want %v", record, got.Name(), words, kindNames[want])
		}
	}
}

// Records with tokens are called by a field, as others are.
func TestTokenIDsHaveIDs(t *testing.T) {
	if err := CheckName(TokenIDs(JSONLines([]Field{{}})), "id"); err != nil {
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
		words, p := TokenIDs(JSONLines([]Field{field})).NewParser().Text(record)
		var want struct{ V []json.Number }
		if !p.IsReadable() || len(list) == 0 || strings.TrimSpace(string(list))[0] != '[' {
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
