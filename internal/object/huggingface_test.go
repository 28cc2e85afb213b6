//go:build integration

package object

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/hftest"
	"github.com/mithril-stream/mithril-stream/internal/object/hub"
)

// A described revision is what the Hub's own library says of it.
type described struct {
	Commit  string
	Listed  map[string]string // size and tag of each file
	Read    map[string]string // SHA-256 of the bytes of each
	Matched int               // files that **/*.jsonl matches
}

// TestIntegrationHuggingFaceHub: the library of the Hub lists and reads the datasets of our server
// as we do. So what the server says is what that library takes for the Hub.
func TestIntegrationHuggingFaceHub(t *testing.T) {
	python := huggingFace(t)
	server, _, _ := atHub(t, map[string][]byte{
		"README.md": []byte("# x\n"), "empty": {}, "a/small.jsonl": []byte("{}\n"), "a/b/large.jsonl": objectOf(3),
		"a/b c#d.jsonl": objectOf(1), "e/one.jsonl": objectOf(0),
	})
	server.PageSize = 2
	server.Commit("org/set", "refs/convert/parquet", map[string][]byte{"default/train/0000.parquet": objectOf(2)})
	server.Commit("org/set", "feature/x", map[string][]byte{"x.jsonl": []byte("{}\n")})
	for _, name := range []string{"org/gated", "org/private"} {
		server.Commit(name, "main", map[string][]byte{"a.jsonl": []byte("{}\n")})
	}
	server.Restrict("org/gated", false, true)
	server.Restrict("org/private", true, false)
	t.Setenv("HF_TOKEN", hftest.Token)

	revisions := []string{"hf://datasets/org/set", "hf://datasets/org/set@refs/convert/parquet",
		"hf://datasets/org/set@feature%2Fx", "hf://datasets/org/gated@main", "hf://datasets/org/private"}
	theirs := exec.Command(python, append([]string{"testdata/hub.py"}, revisions...)...)
	theirs.Env = append(os.Environ(), "HF_HUB_DISABLE_TELEMETRY=1", "HF_HUB_DISABLE_PROGRESS_BARS=1")
	theirs.Stderr = os.Stderr
	out, err := theirs.Output()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]described{}
	var errs struct{ Errors map[string]string }
	if err := json.Unmarshal(out, &errs); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	json.Unmarshal(out, &found) // "errors" has no such fields
	for _, revision := range revisions {
		if ours := describe(t, revision); !reflect.DeepEqual(ours, found[revision]) {
			t.Errorf("%s: ours %+v, theirs %+v", revision, ours, found[revision])
		}
	}
	want := map[string]string{"no dataset": "RepositoryNotFoundError", "no revision": "RevisionNotFoundError",
		"no file": "RemoteEntryNotFoundError", "gated": "GatedRepoError", "private": "RepositoryNotFoundError"}
	if !reflect.DeepEqual(errs.Errors, want) {
		t.Errorf("the library takes errors for %v, want %v", errs.Errors, want)
	}
	if leaked := server.Leaked(); len(leaked) > 0 {
		t.Errorf("a token has come to the store: %q", leaked)
	}
}

// describe is what we say of a dataset.
func describe(t *testing.T, address string) described {
	t.Helper()
	c := hubClient(t)
	found, err := c.List(address + "/**")
	if err != nil {
		t.Fatal(err)
	}
	d := described{Listed: map[string]string{}, Read: map[string]string{}}
	for _, path := range found.Paths {
		a, err := hub.Parse(path)
		if err != nil {
			t.Fatal(err)
		}
		d.Commit = a.Revision
		version, err := c.Version(path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := read(c, path)
		if err != nil {
			t.Fatal(err)
		}
		d.Listed[a.Path], d.Read[a.Path] = version, fmt.Sprintf("%x", sha256.Sum256(body))
	}
	if matched, err := c.List(address + "/**/*.jsonl"); err == nil {
		d.Matched = len(matched.Paths)
	}
	return d
}

// huggingFace is a Python that has the library.
func huggingFace(t *testing.T) string {
	t.Helper()
	python := os.Getenv("HF_PYTHON")
	if python == "" {
		python = "python3"
	}
	if err := exec.Command(python, "-c", "import huggingface_hub").Run(); err != nil {
		const what = "there is no huggingface_hub: pip install huggingface_hub, and name its Python in HF_PYTHON"
		if os.Getenv("CI") != "" {
			t.Fatal(what)
		}
		t.Skip(what)
	}
	return python
}
