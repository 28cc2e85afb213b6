package record

import "testing"

// TestWhole: braces say what counts of a record, of a member and of what is below it.
func TestWhole(t *testing.T) {
	for _, c := range []struct{ path, record, text, key string }{
		{"{}", `{"b":"x","a":1}`, "x", `\{"a":1,"b":"x"}`},
		{"{-id}", `{"id":"i","a":{"id":"j","n":2}}`, "j", `\{"a":{"id":"j","n":2}}`},
		{"*{-id}", `{"id":"i","a":{"id":"j","n":2}}`, "", `\{"a":{"n":2}}`},
		{"{-id,+in}", `{"id":"i","a":[{"in":{"id":"j","n":2,"b":true,"l":[5,6],"z":null}}]}`,
			"j\n2\ntrue\n5\n6", `\{"a":[{"in":{"b":true,"id":"j","l":[5,6],"n":2,"z":null}}]}`},
		{"a{-id,+in}", `{"a":[{"id":"i","in":{"id":"j"},"n":5,"t":"u"}]}`, "j\nu",
			`\[{"in":{"id":"j"},"n":5,"t":"u"}]`},
		{`\{-id}`, `{"{-id}":"x"}`, "x", "x"},
	} {
		f, err := ParseField(c.path)
		if err != nil {
			t.Fatal(err)
		}
		text, _, _ := NewFieldText([]Field{f}, false).Text([]byte(c.record))
		key, _, _ := NewFieldText([]Field{f}, true).Text([]byte(c.record))
		if string(text) != c.text || string(key) != c.key {
			t.Errorf("%s of %s: text %q, want %q; key %s, want %s", c.path, c.record, text, c.text, key, c.key)
		}
	}
}
