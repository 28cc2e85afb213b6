package sketch

import (
	"slices"
	"strings"
	"testing"

	"github.com/zeebo/xxh3"
)

// differentKinds are lines that say different things, separated by " | " or, where they have bars
// themselves, by " || ".
var differentKinds = []string{
	// a status and what surrounds it
	"health check of api finished with status 200. | health check of api finished with status 500.",
	"Process 12 exited with code 0. | Process 13 exited with code 1.",
	"failed with status code 404: giving up | failed with status code 503: giving up",
	"status 200/OK | status 500/ERR",
	"code=exited, status=0/SUCCESS | code=exited, status=1/FAILURE",
	"exited with code 3221225477 | exited with code 0 | exited with code -1073741819 | exited with code 3221225786",
	"error code 0x80070005 | error code 0x0 | error code 0x80070057",
	"span1.status=404 | span1.status=200",
	"http2.status=404 | http2.status=200",
	"span1.exit_code:1 | span1.exit_code:0",
	"status code is 404 | status code is 200",
	"with a status code of 500 | with a status code of 404",
	"exit code was 1 | exit code was 0",
	"status=1.0 | status=0.0",
	"status: 200, ok | status: 404, ok",
	"HTTP Error 404: no page | HTTP Error 500: no page",
	`{"status":200} | {"status":404}`,
	`{"exit_code": "-1"} | {"exit_code": "0"}`,

	// a level or a verb beside a time or a name
	"2026-11-24 10:00:01,123:INFO:root:sync of orders | 2026-11-24 10:00:01,123:ERROR:root:sync of orders",
	"INFO:root:5 orders | ERROR:root:5 orders",
	"2026-11-24 10:00:01,123-INFO-sync of orders | 2026-11-24 10:00:01,123-ERROR-sync of orders",
	"eth0:up | eth0:down",
	"eth0:no-carrier | eth0:dormant",
	"worker-3:failed | worker-3:succeeded",
	"worker-3-failed | worker-3-ok",
	"tests failed:3 | tests passed:3",
	"web1.ERROR: sync | web1.INFO: sync",
	"[Worker-Main-2/INFO]: sync | [Worker-Main-2/ERROR]: sync",
	"E0229 10:00:01.1 7 a.go:7] sync | I0229 10:00:01.1 7 a.go:7] sync",
	"Feb 29 10:00:01 host kubelet[7]: E0229 10:00:01.1 sync | Feb 29 10:00:01 host kubelet[7]: W0229 10:00:01.1 sync",
	"action=s3:GetObject | action=s3:DeleteObject",
	"✓ parser reads numbers | ✗ parser reads numbers",
	"✅ deploy of web1 | ❌ deploy of web1",
	"🟢 api | 🔴 api",
	"link ↑ | link ↓",
	"feature=search enabled=1 | feature=search enabled=0",
	`"ok":1 | "ok":0`,
	"ok:1 | ok:0",
	"cache.enabled: 1 | cache.enabled: 0",
	"cache.enabled = 1 | cache.enabled = 0",
	"feature3.enabled=1 | feature3.enabled=0",

	// access logs
	"[GIN] 2026/11/24 - 10:00:01 | 200 | 12ms | 10.0.0.1 | GET \"/api\" || " +
		"[GIN] 2026/11/24 - 10:00:01 | 500 | 12ms | 10.0.0.1 | GET \"/api\"",
	"1709213820.123 12 10.0.0.1 TCP_MISS/200 345 GET http://a.org/ - HIER_DIRECT/10.0.0.2 text/html || " +
		"1709213820.123 12 10.0.0.1 TCP_MISS/503 345 GET http://a.org/ - HIER_DIRECT/10.0.0.2 text/html",
	"GET /users/5 200 12.345 ms - 17 | GET /users/5 500 12.345 ms - 17",
	"GET / 200 5 - 1.2 ms | GET / 404 5 - 1.2 ms",
	"HTTP GET /a responded 200 in 12.3 ms | HTTP GET /a responded 500 in 12.3 ms",
	"Request finished HTTP/1.1 GET https://localhost/ - 200 512 | " +
		"Request finished HTTP/1.1 GET https://localhost/ - 503 512",
	"http-in static/srv1 10/0/30/69/109 200 2750 - - ---- | http-in static/srv1 10/0/30/-1/109 503 2750 - - ----",
	`"GET /a HTTP/1.1" 200 17 | "GET /a HTTP/1.1" 500 17`,

	// other languages
	"процесс 5 завершён, код возврата 0 | процесс 5 завершён, код возврата 1",
	"процесс 5 завершился с кодом 0 | процесс 5 завершился с кодом 1",
	"退出码为 0 | 退出码为 1",
	"終了コードは 0 | 終了コードは 1",
	"статус: 200 | статус: 500",
	"请求完成 状态码 200 | 请求完成 状态码 500",
	"请求完成,状态码：200 | 请求完成,状态码：500",
	"Code retour : 0 | Code retour : 1",
	"code d'erreur 0 | code d'erreur 1",
	"code de sortie : 0 | code de sortie : 1",
	"Statuscode 200 | Statuscode 500",
	"Fehlercode: 0 | Fehlercode: 1",
	"Rückgabewert 0 | Rückgabewert 1",
	"ステータス 200 | ステータス 500",
	"終了コード: 0 | 終了コード: 1",
	"상태 코드 200 | 상태 코드 500",
	"código de salida 0 | código de salida 1",
	"código de saída: 0 | código de saída: 1",
	"codigo de error 0 | codigo de error 1",
	"estado 200 | estado 500",
}

// sameKinds are lines that differ in what varies.
var sameKinds = []string{
	"took 12 ms | took 7 ms | took 0.5 ms",
	"cache.enabled: 2 | cache.enabled: 5",
	"took 12ms | took 7s | took 0.5us",
	"status of 12 nodes | status of 7 nodes",
	"status 2026-11-24 10:00:01 | status 2026-11-25 11:00:01",
	"status 10.0.0.1 | status 10.0.0.2:80",
	"code 482913 | code 482914 | code 1709213820",
	"connected to host1:8080 | connected to host2:80 | connected to 10.0.0.1:80 | connected to localhost:80",
	"session a1b2c3:ff00 | session a1b2c4:fe01:0",
	"from fe80::1 | from 2001:db8::beef:cafe | from ::1 | from 2001:db8:dead::1",
	"mac 00:1a:2b:3c:4d:5e | mac ab:cd:ef:00:dd:ee",
	"read https://a.org/x1/error | read http://b.org:8080/y/info | " +
		"read /var/log/app1/error.log | read /var/log/info.log",
	"image nginx:1.25 | image redis:7.2-alpine | image registry1:5000/app/web:latest | image a/b:2",
	"id 550e8400-e29b-41d4-a716-446655440000 | id 550e8400-e29b-41d4-a716-446655440001",
	"version 1.2.3-rc1 | version 2.0.0",
	"at Bar1.java:12 | at Bar2.java:7",
	"user anna@mail.org | user ben7@mail.org | user root@host1:22",
	"2026-11-24T10:00:01Z up | 2026-11-24T10:00:01.5Z up | 1709213820 up | " +
		"24/Nov/2026:10:00:01 up | 20261124-10:00:01:606 up",
	"24.11.2026 10:00:01,5 up | 11/24/2026 10:00:01,123456 up",
	"24 Nov 2026 10:00:01 PM | Jan 25, 2026 1:00:01 PM",
	"Sun Dec 04 04:54:18 2005 | Mon, Nov 24 04:54:19 2005",
	"I0229 10:00:01.1 up | I1130 23:59:59.123456 up",
	"E0229 of 7 | E0230 of 7 | I0229 of 7",
	"size=200 | size=500",
	"| 200 | 3 | disks | || | 500 | 3 | disks |",
	"GET /slow 200 ms | GET /slow 300 ms",
	"HTTP response 200 bytes | HTTP response 300 bytes",
	"GET /users/5 took 200 ms | GET /users/7 took 300 ms",
	"GET /users/5 | GET /users/enable | GET /users/7/x",
	"1709213820.123 112 10.0.0.1 TCP_MISS/200 345 GET http://a/ - | " +
		"1709213821.5 345 10.0.0.1 TCP_MISS/200 9 GET http://b/ -",
	"enabled 1 | enabled 0",
	"enabled=2 | enabled=7",
	"clients=1 | clients=0",
	"up 1 day | up 2 day",
	"blk_-1608999687919862906 | blk_7503483334202473044",
	"attempt_1445144423722_0020_m_000001_0: done | attempt_1445144423722_0021_m_000002_1: done",
	"found sqlite3_trace_v2 | found sqlite3_error_v2",
	"libgpg-error-1.2 | libgpg-error-1.3",
	"progress ⠋ 5 | progress ⠙ 7",
	"код товара 5 | код товара 7",
	"10/0/30/69/109 2000 | 1/0/3/6/10 7",
}

func TestLogKinds(t *testing.T) {
	for _, lines := range differentKinds {
		for i, keys := range keysOfLines(t, lines) {
			if slices.ContainsFunc(keysOfLines(t, lines)[:i], func(k string) bool { return k == keys }) {
				t.Errorf("two of these are of one kind: %s", lines)
			}
		}
	}
	for _, lines := range sameKinds {
		for _, keys := range keysOfLines(t, lines) {
			if keys != keysOfLines(t, lines)[0] {
				t.Errorf("two of these are of different kinds: %s", lines)
				break
			}
		}
	}
}

// keysOfLines returns the keys of lines with --preset logs.
func keysOfLines(t *testing.T, lines string) (list []string) {
	recipe, err := Preset("logs")
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(recipe.Params)
	if err != nil {
		t.Fatal(err)
	}
	separator := " | "
	if strings.Contains(lines, " || ") {
		separator = " || "
	}
	for line := range strings.SplitSeq(lines, separator) {
		keys, _ := s.BandKeys(nil, []byte(line))
		list = append(list, joinKeys(keys))
	}
	return list
}

func joinKeys(keys []xxh3.Uint128) string {
	var b strings.Builder
	for _, k := range keys {
		bytes := k.Bytes()
		b.Write(bytes[:])
	}
	return b.String()
}

// TestLogForms: lines become what is documented, before and after their letters are folded.
func TestLogForms(t *testing.T) {
	n, err := NewNormalizer("log-variables")
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"10:00:01,123:INFO:root:sync":         "0,0:INFO:root:sync",
		"12:00:my.logger:x1":                  "0:my.logger:0",
		"a-1:no-carrier.":                     "0:no-carrier.",
		"worker-3-failed-7: x":                "0-failed-0 x",
		"failed:3":                            "failed:0",
		"Jul 5:failed Jul 5":                  "0 0:failed 0 0",
		"span1.status:404":                    "0.status:404",
		"E0229 10:00:01.1 x":                  "E 0 0 x",
		"Jul E0229 10:00:01":                  "Jul E 0 0",
		"| 500 | 12ms | GET \"/x\" 404":       "| 500 | 0 | GET \"/0\" 404",
		"| 500 | 12ms | GET":                  "| 0 | 0 | GET",
		"TCP_MISS/503 GET https://h/ -":       "TCP_MISS/503 GET /0 -",
		"1/2/3/4/-1 503 503":                  "0/0/0/0/0 503 0",
		"✓5":                                  " signachbd 0",
		"status ✓ 5":                          "status  signachbd  0",
		"status=200/OK, 5":                    "status=200/OK, 0",
		"status 200/5":                        "status 0",
		"code:-1 code:0xfF code:0xfffffffff":  "code:-1 code:0xfF 0",
		"HTTP: 500. HTTP 5000 HTTP/2 is 404x": "HTTP: 500. HTTP 0 http/0 is 0",
		"exit of 5, code of 5, status of 500": "exit of 0, code of 5, status of 500",
		"status of 5 returned 7":              "status of 0 returned 0",
	} {
		if got := string(n.Append(nil, []byte(line))); got != want {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
		checkNormal(t, n, "log-variables", []byte(line))
	}
}
