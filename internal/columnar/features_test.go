package columnar

import "testing"

// TestFeaturesAreUnited: columns that only the other file has are described as there, and classes
// must have the same names, wherever they are.
func TestFeaturesAreUnited(t *testing.T) {
	label := func(names string) string {
		return `{"info":{"features":{"label":{"_type":"ClassLabel","names":[` + names + `]}}}}`
	}
	below := func(names string) string {
		return `{"info":{"features":{"l":[{"k":{"_type":"ClassLabel","names":[` + names + `]}}]}}}`
	}
	text := `{"info":{"features":{"text":{"_type":"Value"}}},"fingerprint":"x"}`
	for _, c := range []struct{ mine, other, want string }{
		{"", "", ""}, {"", text, ""}, {text, "", text}, {text, "no JSON", text}, {"no JSON", text, "no JSON"},
		{text, text, text}, {label(`"a","b"`), label(`"a","b"`), label(`"a","b"`)},
		{label(`"a","b"`), label(`"b","a"`), "refused"}, {label(`"a"`), label(`"a","b"`), "refused"},
		{below(`"a","b"`), below(`"b","a"`), "refused"}, {below(`"a"`), below(`"a"`), below(`"a"`)},
		{
			text, label(`"a"`), `{"fingerprint":"x","info":{"features":{"label":{"_type":"ClassLabel","names":["a"]},` +
				`"text":{"_type":"Value"}}}}`,
		},
	} {
		got, err := UniteFeatures(c.mine, c.other)
		if err != nil {
			got = "refused"
		}
		if got != c.want {
			t.Errorf("%s and %s: %s, %v", c.mine, c.other, got, err)
		}
	}
}
