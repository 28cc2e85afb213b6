package sketch

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestLogVariables: lines of what decides about a variable are masked as they are defined to be, in
// windows too.
func TestLogVariables(t *testing.T) {
	pieces := rapid.SampledFrom(strings.Fields(`Jul sun Monday may 7 500 99999 123456
		-1 status Status: exit_code rc src rc:5 :200 :: code:-2
		code:x1 HTTP HTTP/1.1 http/2 http/123456 /var/log // https://h/x a@b @b up é x1 . - : 200. 404:
		500/ERR 1.0 0x80070005 3221225477 -1073741819 1:INFO:root 12:00:ef:x eth0:no-carrier. x1:failed
		w-3-ok-down failed:3 error:1 a/1/error sql3_up_2 a1/b:warn span1.status x.enabled3_ok enabled
		ok: ok:1 0 1 is of error E0229 10:00:01 | GET post /x1/y 2/0/-1/6/7 TCP_MISS/503 NONE/099 ✓ 🔴
		код возврата código saída de ms 状态码 为 кодом 1:code:2 7:status:x HTTP: of: b1:Jul`))
	gaps := rapid.SampledFrom([]string{" ", ", ", "    ", "\n", " \n", ",", "=", "(", "é", "\t", "", "",
		" | ", ": ", ":", ".", "/", "-", "_"})
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
