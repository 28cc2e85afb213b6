package tests

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
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
		"groups -q", "near -q --index " + index, "eval -q --jaccard 0.5", "audit -q", "substr -q",
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

// TestHubRepeats: the same command gives the same output (I7), also if the branch has got a commit
// that changes none of its files; and what a branch was is told when it has moved.
func TestHubRepeats(t *testing.T) {
	server, files := hftest.New(t), splits()
	first := server.Commit("org/set", "main", files)
	index, address := filepath.Join(t.TempDir(), "idx"), "hf://datasets/org/set/data/"
	args := []string{"--index", index, address}
	want := succeed(t, args...)
	inspected := succeed(t, "index", "inspect", index)
	if !strings.Contains(inspected, "hf://datasets/org/set@"+first) {
		t.Errorf("the index does not say which commit it has read: %s", inspected)
	}
	files["README.md"] = []byte("# a better description\n")
	server.Commit("org/set", "main", files)
	for range 2 {
		if got := succeed(t, args...); got != want {
			t.Errorf("the same files: %d bytes, want %d", len(got), len(want))
		}
	}
	files["data/test-00000-of-00004.jsonl"] = []byte(days(9)[8])
	moved := server.Commit("org/set", "main", files)
	r := runWithCache(t, t.TempDir(), "", args...)
	if r.code != 0 || !strings.Contains(r.messages, first) || !strings.Contains(r.messages, moved) ||
		strings.Count(r.out, "\n") != strings.Count(days(9)[8], "\n") {
		t.Errorf("a branch that has moved: %+v", r)
	}
	pinned := "hf://datasets/org/set@" + first + "/data/"
	if got := succeed(t, "--index", index, pinned); got != want {
		t.Errorf("the commit of before: %d bytes, want %d", len(got), len(want))
	}
}

// TestHubResumes a run that was stopped in the middle, at the commit that it has begun with and at
// no other.
func TestHubResumes(t *testing.T) {
	server, files := hftest.New(t), splits()
	first := server.Commit("org/set", "main", files)
	dir, address := t.TempDir(), "hf://datasets/org/set/data/"
	want := succeed(t, "-q", address)
	out := filepath.Join(dir, "out.jsonl")
	run := func(address string, more ...string) bucketRun {
		args := append([]string{"-q", "--index", filepath.Join(dir, "idx"), "--checkpoint", "50", "-o", out,
			"--on-error", "fail"}, more...)
		return runWithCache(t, dir, "", append(args, address)...)
	}
	server.Disturb(func(w http.ResponseWriter, r *http.Request) bool {
		isIt := strings.Contains(r.URL.Path, "resolve") && strings.Contains(r.URL.Path, "00003-of")
		if isIt {
			w.WriteHeader(http.StatusForbidden)
		}
		return isIt
	})
	if r := run(address); r.code == 0 {
		t.Fatalf("%+v", r)
	}
	server.Disturb(nil)
	files["README.md"] = []byte("# another commit\n")
	second := server.Commit("org/set", "main", files)
	pinned := "hf://datasets/org/set@" + first
	if r := run(address, "--resume"); r.code == 0 || !strings.Contains(r.messages, second) ||
		!strings.Contains(r.messages, "give "+pinned) {
		t.Errorf("a branch that has moved: %+v", r)
	}
	if r := run(pinned+"/data/", "--resume"); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	if got, err := os.ReadFile(out); err != nil || string(got) != want {
		t.Errorf("resumed: %d bytes, want %d: %v", len(got), len(want), err)
	}
}

// TestHubAfterKills: the program is killed at each of its requests, and gone on with.
func TestHubAfterKills(t *testing.T) {
	server, files := hftest.New(t), splits()
	server.Commit("org/set", "main", files)
	dir, address := t.TempDir(), "hf://datasets/org/set/data/"
	want := succeed(t, "-q", address)
	out := filepath.Join(dir, "out.jsonl")
	for kills, done := 0, false; !done; kills++ {
		cmd := exec.Command("mithril-stream", "-q", "--index", filepath.Join(dir, "idx"), "--checkpoint", "50",
			"--resume", "-o", out, address)
		ready := make(chan struct{})
		var asked atomic.Int32
		server.Disturb(func(http.ResponseWriter, *http.Request) bool {
			if <-ready; int(asked.Add(1)) == kills+1 {
				cmd.Process.Kill()
			}
			return false
		})
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		close(ready)
		err := cmd.Wait()
		if done = err == nil; !done && exitCode(err) != -1 {
			t.Fatalf("after %d kills: %v", kills, err)
		}
		if done && kills < 10 {
			t.Errorf("only %d requests", kills)
		}
	}
	if got, err := os.ReadFile(out); err != nil || string(got) != want {
		t.Errorf("after all kills: %d bytes, want %d: %v", len(got), len(want), err)
	}
}

// TestHubIsOneCommit: a branch that moves while a run reads it is read at one commit.
func TestHubIsOneCommit(t *testing.T) {
	server, files := hftest.New(t), splits()
	server.Commit("org/set", "main", files)
	args := []string{"-q", "hf://datasets/org/set/data/small.jsonl", "hf://datasets/org/set/data/t*"}
	want := succeed(t, args...)
	var asked atomic.Int32
	server.Disturb(func(http.ResponseWriter, *http.Request) bool {
		if asked.Add(1) == 3 {
			server.Commit("org/set", "main", map[string][]byte{"data/small.jsonl": []byte("{}\n")})
		}
		return false
	})
	if got := succeed(t, args...); got != want || asked.Load() < 4 {
		t.Errorf("%d bytes, want %d, of %d requests", len(got), len(want), asked.Load())
	}
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
		"accepted its conditions: do so at " + server.URL:   {"hf://datasets/org/gated/data/*"},
		`has no revision "v9": name a branch`:               {"hf://datasets/org/set@v9/data/"},
		"no such file or directory":                         {"hf://datasets/org/set/data/none"},
		"no file of the dataset matches":                    {"hf://datasets/org/set/**/*.parquet"},
		"syntax error in pattern":                           {"hf://datasets/org/set/data/[x"},
		"of the Hub only datasets are read":                 {"hf://org/model/x"},
		"name a dataset":                                    {"hf://datasets/org"},
		"is no path in a dataset":                           {"hf://datasets/org/set/../x"},
		"write it in small letters":                         {"HF://datasets/org/set/x"},
		"nothing is written to the Hub":                     {"-o", file, input},
		"repos create OWNER/NAME":                           {"--duplicates", file, input},
		"hf upload OWNER/NAME DIRECTORY .":                  {"--output-dir", "hf://datasets/org/set/", input},
		"is no index in a bucket":                           {"--index", file, input},
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
