package object

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// TestHubLists by pages of any size.
func TestHubLists(t *testing.T) {
	files := map[string][]byte{}
	for _, path := range []string{
		".gitattributes", "README.md", "a/z.jsonl", "a/b.jsonl", "a/_x/y", "a/.h/x", "a/c/d.jsonl", "a/br[1].jsonl",
		"a/br1.jsonl",
	} {
		files[path] = []byte(path)
	}
	server, commit, c := atHub(t, files)
	for _, size := range []int{1, 2, 1000} {
		server.PageSize = size
		for path, want := range map[string]string{
			"": "README.md a/b.jsonl a/br1.jsonl a/br[1].jsonl a/c/d.jsonl a/z.jsonl / and not " +
				".gitattributes a/.h/x a/_x/y",
			"a/":                "a/b.jsonl a/br1.jsonl a/br[1].jsonl a/c/d.jsonl a/z.jsonl / and not a/.h/x a/_x/y",
			"a":                 "a/b.jsonl a/br1.jsonl a/br[1].jsonl a/c/d.jsonl a/z.jsonl / and not a/.h/x a/_x/y",
			"a/c":               "a/c/d.jsonl /",
			"a/?.jsonl":         "a/b.jsonl a/z.jsonl",
			"*/b*":              "a/b.jsonl a/br1.jsonl a/br[1].jsonl",
			"**/*.jsonl":        "a/b.jsonl a/br1.jsonl a/br[1].jsonl a/c/d.jsonl a/z.jsonl",
			"a/**/d.jsonl":      "a/c/d.jsonl",
			"a/br[1].jsonl":     "a/br[1].jsonl",
			"a/br[12].jsonl":    "a/br1.jsonl",
			"README.md":         "README.md",
			"**/.git*":          ".gitattributes",
			"none*":             "!no file of the dataset matches",
			"a/[":               "!it is no pattern",
			"none":              "!no such file or directory",
			"none/":             "!no such file or directory",
			"none/*":            "!no such file or directory",
			"a/z.jsonl/":        "!no such file or directory",
			"a/_x/":             "a/_x/y /",
			"README.md/../a/b*": "!is no path",
		} {
			got, err := c.List(hubFiles + path)
			short := func(paths []string) string {
				return strings.ReplaceAll(strings.Join(paths, " "), "hf://datasets/org/set@"+commit+"/", "")
			}
			said := short(got.Paths)
			if got.IsDirectory {
				said += " /"
			}
			if len(got.Hidden) > 0 {
				said += " and not " + short(got.Hidden)
			}
			says, fails := strings.CutPrefix(want, "!")
			if fails {
				said, want = fmt.Sprint(err), fmt.Sprint(err)
			}
			if (err != nil) != fails || said != want || !strings.Contains(said, says) {
				t.Errorf("%q by %d: %q, %v", path, size, said, err)
			}
		}
	}
}

// TestHubMayLie: a listing that cannot be is refused.
func TestHubMayLie(t *testing.T) {
	server, _, _ := atHub(t, map[string][]byte{"a/b": nil})
	file := func(path string) string { return fmt.Sprintf(`[{"type":"file","path":%q,"size":1,"oid":"x"}]`, path) }
	for name, lie := range map[string]struct{ body, link, says string }{
		"up":       {file("a/../../x"), "", "which cannot be"},
		"absolute": {file("/x"), "", "which cannot be"},
		"nameless": {file(""), "", "which cannot be"},
		"outside":  {file("c/x"), "", "which cannot be"},
		"negative": {`[{"type":"file","path":"a/x","size":-1}]`, "", "which cannot be"},
		"no json":  {`<html>`, "", "not the expected JSON"},
		"no list":  {`{"error":"x"}`, "", "not the expected JSON"},
		"endless":  {file("a/x"), server.URL + "/api/again", "does not end"},
		"away":     {file("a/x"), "http://127.0.0.1:1/x?sECRET", "at another server"},
		"no link":  {file("a/x"), "http://[", "at another server"},
	} {
		server.Disturb(func(w http.ResponseWriter, r *http.Request) bool {
			isIt := strings.Contains(r.URL.Path, "/tree/") || r.URL.Path == "/api/again"
			if isIt {
				if lie.link != "" {
					w.Header().Set("Link", "<"+lie.link+`>; rel="next"`)
				}
				fmt.Fprint(w, lie.body)
			}
			return isIt
		})
		if got, err := hubClient(t).List(hubFiles + "a/"); err == nil || !strings.Contains(err.Error(), lie.says) ||
			strings.Contains(err.Error(), "sECRET") {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	server.Disturb(func(w http.ResponseWriter, r *http.Request) bool {
		fmt.Fprint(w, `{"sha":"main"}`)
		return true
	})
	if got, err := hubClient(t).List(hubFiles); err == nil || !strings.Contains(err.Error(), "which is none") {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestHubMoved: a revision is known by its commit, and by the one that has not moved if there are
// several.
func TestHubMoved(t *testing.T) {
	server, first, c := atHub(t, map[string][]byte{"x": []byte("1")})
	name := "hf://datasets/org/set@" + first + "/x"
	if m, known := c.Moved(name); known {
		t.Errorf("nothing was asked, but %+v", m)
	}
	second := server.Commit("org/set", "main", map[string][]byte{"x": []byte("2")})
	server.Commit("org/set", "v1", map[string][]byte{"x": []byte("1")})
	if _, err := c.List(hubFiles); err != nil {
		t.Fatal(err)
	}
	want := Move{"hf://datasets/org/set@main", first, second, "hf://datasets/org/set@" + first}
	if m, known := c.Moved(name); !known || m != want {
		t.Errorf("%+v, %t", m, known)
	}
	if _, err := c.List("hf://datasets/org/set@v1/x"); err != nil {
		t.Fatal(err)
	}
	if m, known := c.Moved(name); !known || m.Was != m.Is {
		t.Errorf("%+v, %t", m, known)
	}
	for _, other := range []string{"x", "hf://datasets/org/set/x", "hf://datasets/org/other@" + first + "/x"} {
		if m, known := c.Moved(other); known {
			t.Errorf("%s: %+v", other, m)
		}
	}
}

// TestHubVersion is the same for a file that was listed and one that was named, at any commit.
func TestHubVersion(t *testing.T) {
	files := map[string][]byte{"small": []byte("one\n"), "large": objectOf(1)}
	server, _, listing := atHub(t, files)
	found, err := listing.List(hubFiles)
	if err != nil {
		t.Fatal(err)
	}
	again := maps.Clone(files)
	again["README.md"] = []byte("new")
	server.Commit("org/set", "main", again)
	for i, path := range slices.Sorted(maps.Keys(files)) {
		server.Requests()
		was, err := listing.Version(found.Paths[i])
		if asked := server.Requests(); err != nil || len(asked) > 0 {
			t.Errorf("%s: %q was asked, %v", path, asked, err)
		}
		is, err := hubClient(t).Version(hubFiles + path)
		if err != nil || was != is || Unpinned(found.Paths[i]) != hubFiles+path {
			t.Errorf("%s: %q listed, %q named, %v", path, was, is, err)
		}
	}
}
