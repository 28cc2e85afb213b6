package hub

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// noAccess has the environment name nothing.
func noAccess(t *testing.T) {
	t.Helper()
	for _, name := range []string{"HF_ENDPOINT", "HF_TOKEN", "HF_TOKEN_PATH", "HF_HOME", "XDG_CACHE_HOME"} {
		t.Setenv(name, "")
	}
	t.Setenv("HOME", t.TempDir())
}

func TestReadToken(t *testing.T) {
	noAccess(t)
	write := func(token string, path ...string) string {
		name := filepath.Join(path...)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(token), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	home, caches, hub := t.TempDir(), t.TempDir(), t.TempDir()
	write("home\n", home, ".cache/huggingface/token")
	write("caches", caches, "huggingface/token")
	write(" hub ", hub, "token")
	// each of these counts more than those before it
	for _, step := range []struct {
		name, value string
		token       string
	}{
		{"HF_ENDPOINT", "", ""},
		{"HOME", home, "home"},
		{"XDG_CACHE_HOME", caches, "caches"},
		{"HF_HOME", hub, "hub"},
		{"HF_TOKEN_PATH", write("file", t.TempDir(), "x"), "file"},
		{"HF_TOKEN", "given\n", "given"},
	} {
		t.Setenv(step.name, step.value)
		if token, from, err := readToken(); err != nil || token != step.token || (token == "") != (from == "") {
			t.Errorf("%s: %q from %q, %v", step.name, token, from, err)
		}
	}
	for name, value := range map[string]string{"HF_TOKEN": "sECRET\nsECRET", "HF_TOKEN_PATH": t.TempDir()} {
		t.Setenv("HF_TOKEN", "")
		t.Setenv(name, value)
		if _, _, err := readToken(); err == nil || strings.Contains(err.Error(), "sECRET") {
			t.Errorf("%s: %v", name, err)
		}
	}
	t.Setenv("HF_TOKEN", "")
	t.Setenv("HF_TOKEN_PATH", write(strings.Repeat("x", maxToken+1), t.TempDir(), "long"))
	if _, _, err := readToken(); err == nil {
		t.Error("a long file is a token")
	}
}

func TestEndpoint(t *testing.T) {
	noAccess(t)
	for given, want := range map[string]string{
		"": defaultEndpoint, "https://mirror.example/": "https://mirror.example",
		"http://host:8080/hub": "http://host:8080/hub",
	} {
		t.Setenv("HF_ENDPOINT", given)
		h, err := New(http.DefaultTransport)
		if err != nil || h.endpoint.String() != want {
			t.Errorf("%s: %v, %v", given, h, err)
		}
	}
	for _, given := range []string{
		"mirror.example", "ftp://host", "https://", "https://host/?sECRET", "https://sECRET host",
	} {
		t.Setenv("HF_ENDPOINT", given)
		if _, err := New(http.DefaultTransport); err == nil || strings.Contains(err.Error(), "sECRET") {
			t.Errorf("%s: %v", given, err)
		}
	}
}
