package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/hftest"
)

// splits are files as datasets have them, of records of which some are in others too.
func splits() map[string][]byte {
	files := map[string][]byte{
		".gitattributes": []byte("*.parquet filter=lfs\n"), "README.md": []byte("# a dataset\n"),
		"data/small.jsonl": []byte(`{"text":"one record that is small enough to stand in Git itself"}` + "\n"),
	}
	for i, text := range days(4) {
		split := []string{"test", "train", "train", "validation"}[i]
		files[fmt.Sprintf("data/%s-%05d-of-00004.jsonl", split, i)] = []byte(text)
	}
	return files
}

// onDisk writes files into a directory.
func onDisk(t *testing.T, files map[string][]byte) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for path, body := range files {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, body, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// succeed runs a command, and returns what it writes.
func succeed(t *testing.T, args ...string) string {
	t.Helper()
	r := runWithCache(t, t.TempDir(), "", args...)
	if r.code != 0 {
		t.Fatalf("%q: %+v", args, r)
	}
	return r.out
}

// TestHubIsReadAsFilesAre: by whatever address.
func TestHubIsReadAsFilesAre(t *testing.T) {
	server, files := hftest.New(t), splits()
	server.PageSize = 2
	dir := onDisk(t, files)
	server.Commit("org/set", "main", files)
	parquet := filepath.Join(t.TempDir(), "0000.parquet")
	succeed(t, "-q", "--to", "parquet", "-o", parquet, filepath.Join(dir, "data/train-00001-of-00004.jsonl"))
	rows, err := os.ReadFile(parquet)
	if err != nil {
		t.Fatal(err)
	}
	tables := map[string][]byte{"default/train/0000.parquet": rows}
	server.Commit("org/set", "refs/convert/parquet", tables)
	server.Commit("org/set", "feature/x", map[string][]byte{"a.jsonl": files["data/small.jsonl"]})
	tableDir := onDisk(t, tables)
	for address, local := range map[string]string{
		"hf://datasets/org/set":                                          "",
		"hf://datasets/org/set/":                                         "",
		"hf://datasets/org/set@main/data":                                "data",
		"hf://datasets/org/set/data/small.jsonl":                         "data/small.jsonl",
		"hf://datasets/org/set/data/train-*":                             "data/train-*",
		"hf://datasets/org/set/**/*.jsonl":                               "data/*.jsonl",
		"hf://datasets/org/set/**/test-*":                                "data/test-*",
		"hf://datasets/org/set@feature%2Fx/a.jsonl":                      "data/small.jsonl",
		"hf://datasets/org/set@~parquet/default/train/":                  tableDir + "/default/train/",
		"hf://datasets/org/set@refs/convert/parquet/default/*/*.parquet": tableDir + "/default/train/0000.parquet",
	} {
		if !filepath.IsAbs(local) {
			local = filepath.Join(dir, local)
		}
		to := []string{"-q", "--field", "auto", "--to", "jsonl"}
		want := succeed(t, append(to, local)...)
		if got := succeed(t, append(to, address)...); got != want || want == "" {
			t.Errorf("%s: %d bytes, want %d", address, len(got), len(want))
		}
	}
}

// TestHubInEveryCommand that reads records, and in shards that are named like inputs.
func TestHubInEveryCommand(t *testing.T) {
	server, files := hftest.New(t), splits()
	dir := onDisk(t, files)
	server.Commit("org/set", "main", files)
	local, remote := filepath.Join(dir, "data")+"/", "hf://datasets/org/set/data/"
	index := filepath.Join(t.TempDir(), "idx")
	succeed(t, "-q", "--memory", "exact", "--index", index, remote)
	for _, command := range []string{
		"groups -q", "near -q --index " + index, "audit -q", "substr -q", "boilerplate -q",
		"eval -q --jaccard 0.5 --methods lshbloom,simhash --permutations 64",
		"contaminate -q --items " + local + "test-00000-of-00004.jsonl",
	} {
		args := strings.Fields(command)
		want := runWithCache(t, t.TempDir(), "", append(args, local+"test-*")...)
		got := runWithCache(t, t.TempDir(), "", append(args, remote+"test-*")...)
		if got.code != want.code || got.code != 0 || unnamed(got.out) != unnamed(want.out) || want.out == "" {
			t.Errorf("%q: %+v, want %+v", args, got, want)
		}
	}
	sketches := map[string]string{}
	for _, from := range []string{local, remote} {
		out := t.TempDir()
		succeed(t, "-q", "--output-dir", out, "--name", "{input}", from)
		succeed(t, "sketch", "-o", filepath.Join(out, "x.sketch"), from)
		var all strings.Builder
		succeed(t, "idf", "-q", "-o", filepath.Join(out, "idf"), from)
		for _, name := range []string{"small.jsonl", "train-00001-of-00004.jsonl", "x.sketch", "idf"} {
			body, err := os.ReadFile(filepath.Join(out, name))
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&all, "%s: %x\n", name, body)
		}
		sketches[from] = all.String()
	}
	if sketches[local] != sketches[remote] {
		t.Error("shards or sketches differ")
	}
}

// unnamed is a text up to where it begins to tell times, without the lines that name a file.
func unnamed(text string) string {
	text, _, _ = strings.Cut(text, "µs")
	hasPath := func(line string) bool { return strings.Contains(line, "/") }
	lines := slices.DeleteFunc(strings.Split(text, "\n"), hasPath)
	return strings.Join(lines, "\n")
}

// TestHubRefuses what cannot be read or written, and says what to do.
func TestHubRefuses(t *testing.T) {
	server, files := hftest.New(t), splits()
	input := filepath.Join(onDisk(t, files), "data/small.jsonl")
	for _, name := range []string{"org/set", "org/private", "org/gated"} {
		server.Commit(name, "main", files)
	}
	server.Restrict("org/private", true, false)
	server.Restrict("org/gated", false, true)
	index := filepath.Join(t.TempDir(), "idx")
	const file = "hf://datasets/org/set/x.jsonl"
	for says, args := range map[string][]string{
		"there is no dataset org/none, or it is private":    {"hf://datasets/org/none/"},
		"there is no dataset org/private, or it is private": {"hf://datasets/org/private/data/"},
		"accept its conditions: do so at " + server.URL:     {"hf://datasets/org/gated/data/*"},
		`has no revision "v9": name a branch`:               {"hf://datasets/org/set@v9/data/"},
		"no such file or directory":                         {"hf://datasets/org/set/data/none"},
		"no file of the dataset matches":                    {"hf://datasets/org/set/**/*.parquet"},
		"it is no pattern":                                  {"hf://datasets/org/set/data/[x"},
		"of the Hub only datasets are read":                 {"hf://org/model/x"},
		"name a dataset":                                    {"hf://datasets/org"},
		"is no path in a dataset":                           {"hf://datasets/org/set/../x"},
		"write it in small letters":                         {"HF://datasets/org/set/x"},
		"nothing is written to the Hub":                     {"-o", file, input},
		"repos create OWNER/NAME":                           {"--duplicates", file, input},
		"hf upload OWNER/NAME DIRECTORY .":                  {"--output-dir", "hf://datasets/org/set/", input},
		"is not an index in a bucket":                       {"--index", file, input},
		"see mithril-stream index inspect --help":           {"index", "inspect", file},
	} {
		r := runWithCache(t, t.TempDir(), "", append([]string{args[0]}, args[1:]...)...)
		if r.code == 0 || !strings.Contains(r.messages, says) || r.out != "" {
			t.Errorf("%q: %+v, does not say %s", args, r, says)
		}
	}
	t.Setenv("HF_TOKEN", "hf_sECRETwrong")
	r := runWithCache(t, t.TempDir(), "", "--index", index, "hf://datasets/org/set/data/")
	if r.code == 0 || !strings.Contains(r.messages, "does not know the token in HF_TOKEN") ||
		strings.Contains(r.messages, "sECRET") {
		t.Errorf("%+v", r)
	}
	t.Setenv("HF_TOKEN", hftest.Token)
	for _, name := range []string{"private", "gated"} {
		if out := succeed(t, "-q", "hf://datasets/org/"+name+"/data/"); out == "" {
			t.Errorf("%s: nothing", name)
		}
	}
	if leaked := server.Leaked(); len(leaked) > 0 {
		t.Errorf("the token has come to the store: %q", leaked)
	}
}
