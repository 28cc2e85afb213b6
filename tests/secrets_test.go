package tests

import (
	"bytes"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mithril-stream/mithril-stream/internal/buckettest"
	"github.com/mithril-stream/mithril-stream/internal/hftest"
)

// TestSecretsOfAddresses: no file that a run writes, and no message, tells the user, the password
// or the query of an address, the token of the Hub or the signatures that it gives.
func TestSecretsOfAddresses(t *testing.T) {
	body := []byte(days(1)[0])
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "sECRETuser" || password != "sECRETpass" ||
			r.URL.Query().Get("sig") != "sECRETsig" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		http.ServeContent(w, r, "", time.Unix(1e9, 0), bytes.NewReader(body))
	}))
	defer web.Close()
	s3 := buckettest.S3(t)
	s3.Set("/bucket/more.jsonl", body)
	gcs := buckettest.GCS(t)
	gcs.Set("/bucket/gs.jsonl", body)
	t.Setenv("STORAGE_EMULATOR_HOST", strings.Replace(gcs.URL, "://", "://sECRETuser:sECRETpass@", 1))
	azure := buckettest.Azure(t)
	azure.Set("/bucket/az.jsonl", body)
	// sECRETkey, as it is written: in base64
	const key = "c0VDUkVUa2V5"
	byKey := "AccountName=devaccount;AccountKey=" + key + ";BlobEndpoint=" + azure.URL
	bySignature := "SharedAccessSignature=sv=2023-11-03&sig=sECRETsig;BlobEndpoint=" + azure.URL
	t.Setenv("AZURE_STORAGE_CONNECTION_STRING", byKey)
	hub := hftest.New(t)
	hub.Commit("org/set", "main", map[string][]byte{"a.jsonl": body})
	hub.Restrict("org/set", true, true)
	t.Setenv("HF_TOKEN", hftest.Token)
	signed := func(path string) string {
		return strings.Replace(web.URL, "://", "://sECRETuser:sECRETpass@", 1) + path + "?sig=sECRETsig"
	}
	endpoint := "--s3-endpoint=" + strings.Replace(s3.URL, "://", "://sECRETuser:sECRETpass@", 1)
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	got := runWithCache(t, t.TempDir(), "", endpoint, "--memory", "exact", "--index", in("idx"), "--originals",
		in("originals"), "--report", in("page.html"), "--stats", in("stats"), "--output-dir", in("out"),
		"--on-error", "keep", signed("/a.jsonl"), signed("/b.jsonl"), "s3://bucket/more.jsonl",
		"gs://bucket/gs.jsonl", "az://bucket/az.jsonl", "hf://datasets/org/set/")
	if got.code != 0 {
		t.Fatalf("%+v", got)
	}
	inspected := runWithCache(t, t.TempDir(), "", "index", "inspect", in("idx"))
	if !strings.Contains(inspected.out, web.URL+"/a.jsonl") {
		t.Errorf("the index does not tell its inputs: %s", inspected.out)
	}
	told := map[string]string{"messages": got.messages, "inspect": inspected.out}
	for name, args := range map[string][]string{
		"format":    {signed("/a.jsonl"), signed("/b.csv")},
		"output":    {"-o", signed("/x"), signed("/a.jsonl")},
		"index":     {"--index", signed("/x"), signed("/a.jsonl")},
		"no such":   {"--kafka=" + signed("/x")},
		"no object": {endpoint, "s3://bucket/none"},
		"field":     {"--field", "auto", signed("/a.jsonl") + "&more"},
		"sketches":  {"dedup", signed("/a.jsonl")},
		"forbidden": {strings.Replace(signed("/a.jsonl"), "pass", "word", 1)},
		"gone":      {"http://sECRETuser:sECRETpass@127.0.0.1:none/x?sig=sECRETsig"},
	} {
		got := runWithCache(t, t.TempDir(), "", args...)
		if told[name] = got.messages; name != "field" && got.code == 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
	for _, path := range []string{"/datasets/", "/objects/"} { // of the Hub, and of its store
		hub.Disturb(func(w http.ResponseWriter, r *http.Request) bool {
			isIt := strings.HasPrefix(r.URL.Path, path)
			if isIt {
				w.Header().Set("X-Error-Message", "no")
				w.WriteHeader(http.StatusForbidden)
			}
			return isIt
		})
		got := runWithCache(t, t.TempDir(), "", "hf://datasets/org/set/")
		if told["hub "+path] = got.messages; got.code == 0 {
			t.Errorf("%s: %+v", path, got)
		}
	}
	if leaked := hub.Leaked(); len(leaked) > 0 {
		t.Errorf("the token has come to the store: %q", leaked)
	}
	for name, access := range map[string]string{
		"key": byKey, "signature": bySignature, "odd": "sECRET",
	} {
		t.Setenv("AZURE_STORAGE_CONNECTION_STRING", access)
		azure.Disturb(func(w http.ResponseWriter, r *http.Request) bool {
			w.Header().Set("X-Ms-Error-Code", "AuthenticationFailed")
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, "<Error><Message>", r.Header.Get("Authorization"), r.URL, "</Message></Error>")
			return true
		}, nil)
		for i, args := range [][]string{
			{"az://bucket/az.jsonl"}, {"az://bucket/"}, {"--index", "az://bucket/idx", in("out")},
			{"-o", "az://bucket/x", in("out")}, {"az://sECRET:sECRET@bucket/x"}, {"gs://sECRET:sECRET@bucket/x"},
		} {
			got := runWithCache(t, t.TempDir(), "", append(args, "--on-error", "fail")...)
			if told[fmt.Sprint("az by ", name, i)] = got.messages; got.code == 0 {
				t.Errorf("%s, %q: %+v", name, args, got)
			}
		}
	}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			var body []byte
			body, err = os.ReadFile(path)
			told[path] = path + string(body)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for what, text := range told {
		text = strings.ReplaceAll(text, key, "sECRETkey")
		if at := strings.Index(text, "sECRET"); at >= 0 {
			t.Errorf("%s tells a secret: %q", what, text[max(0, at-100):min(len(text), at+100)])
		}
	}
}
