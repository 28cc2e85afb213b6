package sketch

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestLogVariables: lines of what decides about a variable are masked as they are defined to be, in
// windows too.
func TestLogVariables(t *testing.T) {
	pieces := rapid.SampledFrom(strings.Fields(`Jul sun Monday may 7 500 99999 123456 -1 status Status: exit_code rc src
		rc:5 :200 :: code:-2 code:x1 HTTP HTTP/1.1 http/2 http/123456 /var/log //
		https://h/x a@b @b up é x1 . - :`))
	gaps := rapid.SampledFrom([]string{" ", ", ", "    ", "\n", " \n", ",", "=", "(", "é", "\t"})
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		for range rapid.IntRange(0, 12).Draw(t, "pieces") {
			b.WriteString(pieces.Draw(t, "piece") + gaps.Draw(t, "gap"))
		}
		for _, name := range []string{"log-variables", "nfkc-fold,log-variables", "log-variables,squash-space"} {
			n, err := NewNormalizer(name)
			if err != nil {
				t.Fatal(err)
			}
			checkNormal(t, n, name, []byte(b.String()))
		}
	})
}
