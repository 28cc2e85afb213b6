package parameter

import (
	"strings"
	"testing"
)

func TestSecretsAreNotTold(t *testing.T) {
	with := func(seed, page string) []Parameter { return []Parameter{{"seed", seed}, {"page-seed", page}} }
	for _, c := range []struct {
		stored, wanted []Parameter
		want           string
	}{
		{with("random:0123", "456"), []Parameter{{"seed", "1"}},
			"seed is a secret in it and 1 here; page-seed is a secret in it and not known here"},
		{[]Parameter{{"seed", "1"}}, with("random:0123", "456"),
			"seed is 1 in it and a secret here; page-seed is not known to it and a secret here"},
		{with("random:0123", "456"), with("random:4567", "789"),
			"seed is a secret in it and another one here; page-seed is a secret in it and another one here"},
		{with("random:0123", "456"), with("random:0123", "456"), ""},
	} {
		if got := strings.Join(Differences(c.stored, c.wanted, "here"), "; "); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}
