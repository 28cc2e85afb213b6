package object

import (
	"context"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	_ "github.com/mithril-stream/mithril-stream/internal/fixedseed"
)

func TestName(t *testing.T) {
	for path, want := range map[string]string{
		"https://host/a/b.jsonl":                   "https://host/a/b.jsonl",
		"https://host:8080/@scope/b@1.jsonl":       "https://host:8080/@scope/b@1.jsonl",
		"https://user:pass@host/x?sig=1#part":      "https://host/x",
		"http://user@[::1]:80/x":                   "http://[::1]:80/x",
		"http://user:pa/ss@host/x?e=1":             "http://…",
		"http://user:pa?s#s@host/x":                "http://…",
		"HTTP://user:pass@host?sig=1":              "HTTP://host",
		"s3://bucket/a?b/c@d#e*":                   "s3://bucket/a?b/c@d#e*",
		"s3://id:se/cret@bucket/a@b":               "s3://…",
		"gs://bucket/a?b/c@d#e*":                   "gs://bucket/a?b/c@d#e*",
		"gs://id:se/cret@bucket/a@b":               "gs://…",
		"s3a://id:secret@bucket/a":                 "s3a://bucket/a",
		"dir/user:pass@host?x":                     "dir/user:pass@host?x",
		"-":                                        "-",
		"dir with spaces://user:pass@host/x?sig=1": "dir with spaces://user:pass@host/x?sig=1",
	} {
		if got := Name(path); got != want {
			t.Errorf("%s is called %s, want %s", path, got, want)
		}
	}
}

// TestNameTellsNoSecret: whatever signs a user, a password, a query and a fragment have, encoded or
// not, none of them is in the name. All that may be told is in small letters here, and all that may
// not has capitals only.
func TestNameTellsNoSecret(t *testing.T) {
	secret := rapid.StringMatching(`[A-Z]([A-Z@:!$&'()*+,;=%._~-]|%2F|%3F)*`)
	password := rapid.OneOf(secret, rapid.StringMatching(`[A-Z][A-Z:/?#!$&'()*+,;=%[\]._~-]*`))
	rapid.Check(t, func(t *rapid.T) {
		address := rapid.SampledFrom([]string{"http", "https", "s3", "gs", "oss"}).Draw(t, "scheme") + "://"
		isWeb := strings.HasPrefix(address, "http")
		if rapid.Bool().Draw(t, "has user") {
			address += secret.Draw(t, "user") + ":" + password.Draw(t, "password") + "@"
		}
		address += rapid.StringMatching(`[a-z][a-z0-9.-]*`).Draw(t, "host")
		if isWeb {
			address += rapid.StringMatching(`(:[1-9][0-9]{0,3})?`).Draw(t, "port")
		}
		address += rapid.StringMatching(`(/[a-z0-9.@%_-]*)*`).Draw(t, "path")
		if !IsInBucket(address) {
			address += rapid.StringMatching(`(\?[A-Z@=&/%]*)?(#[A-Z@/?]*)?`).Draw(t, "query")
		}
		if name := Name(address); strings.ContainsFunc(name, func(r rune) bool { return 'A' <= r && r <= 'Z' }) {
			t.Errorf("%s is called %s", address, name)
		}
	})
}

// TestErrorsTellNoSecret: what libraries say of an address is not handed on with it.
func TestErrorsTellNoSecret(t *testing.T) {
	gone := "127.0.0.1:1/x?sig=PASSWORD"
	t.Setenv("STORAGE_EMULATOR_HOST", "http://user:PASSWORD@host/x?sig=PASSWORD")
	c := NewClient(t.Context(), Options{Endpoint: "http://user:PASSWORD@host/x?sig=PASSWORD"})
	c.pause = func(ctx context.Context, _ time.Duration) error { return context.Cause(ctx) }
	for _, path := range []string{"http://user:PASSWORD@" + gone, "http://user:PASS/WORD@" + gone, "s3://a/b",
		"s3://id:PASSWORD@a/b", "gs://a/b", "gs://id:PASSWORD@a/b"} {
		for name, ask := range map[string]func() error{
			"open": func() error { _, err := c.Open(path); return err },
			"list": func() error { _, err := c.List(path); return err },
			"put":  func() error { return c.Put(path, strings.NewReader(""), 0) },
			"name": func() error { _, err := c.Version(path); return err },
		} {
			if err := ask(); err == nil || strings.Contains(err.Error(), "PASS") {
				t.Errorf("%s %s: %v", name, path, err)
			}
		}
	}
}
