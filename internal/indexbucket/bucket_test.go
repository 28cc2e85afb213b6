package indexbucket

import (
	"errors"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/buckettest"
	"github.com/mithril-stream/mithril-stream/internal/object"
)

// The bucket of the tests, which is of one kind after the other.
var (
	start = buckettest.S3
	url   = "s3://bucket/some/idx"
)

// TestOtherKinds: what holds for an index in s3:// holds for one in a bucket of any other kind.
func TestOtherKinds(t *testing.T) {
	defer func() { start, url = buckettest.S3, "s3://bucket/some/idx" }()
	for scheme, begin := range buckettest.Kinds {
		if scheme == "s3" {
			continue
		}
		start, url = begin, scheme+"://bucket/some/idx"
		for name, test := range map[string]func(t *testing.T){
			"generations": TestGenerations, "overtaken": TestReaderIsOvertaken, "damage": TestDamage, "lock": TestLock,
			"broken lock": TestLockIsBroken, "no conditions": TestServerWithoutConditions,
			"a step fails": TestEachStepFails, "requests fail": TestEachRequestFailsOnce,
		} {
			t.Run(scheme+" "+name, test)
		}
	}
}

// open returns the index in a server, with a cache of its own.
func open(t *testing.T) *Bucket {
	t.Helper()
	b, err := Open(object.NewClient(t.Context(), object.Options{}), url+"/", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// An index is files by their names.
type indexFiles map[string]string

var first = indexFiles{
	"MANIFEST": "one", "log-1": "keys", "base-1-1": "filters", "runs/00000001.json": "run", "exact": "",
}

var second = indexFiles{
	"MANIFEST": "two", "log-2": "other keys", "base-1-1": "filters", "base-2-2": "more", "runs/00000001.json": "run",
	"runs/00000002.json": "run",
}

// write makes the directory hold these files, and one that is no part of the index.
func (x indexFiles) write(t *testing.T, dir string) {
	t.Helper()
	for name := range read(t, dir) {
		if _, ok := x[name]; !ok {
			if err := os.Remove(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, text := range x {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if there, err := os.ReadFile(path); err == nil && string(there) == text {
			continue
		}
		if !isChanged(name) { // it would be replaced
			os.Remove(path)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "LOCK"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
}

// read returns the files of an index that are in a directory.
func read(t *testing.T, dir string) indexFiles {
	t.Helper()
	x := indexFiles{}
	for _, pattern := range []string{"*", "runs/*"} {
		paths, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			name, _ := filepath.Rel(dir, path)
			if text, err := os.ReadFile(path); err == nil && isStored(name) {
				x[name] = string(text)
			}
		}
	}
	return x
}

// turn is what a run does with an index.
func turn(t *testing.T, b *Bucket, becomes indexFiles) error {
	t.Helper()
	c, err := b.Acquire()
	if err != nil {
		return err
	}
	becomes.write(t, c.Dir)
	if err = c.Publish(); err == nil {
		err = c.Tidy()
	}
	return errors.Join(err, c.Close())
}

func mustTurn(t *testing.T, b *Bucket, becomes indexFiles) {
	t.Helper()
	if err := turn(t, b, becomes); err != nil {
		t.Fatal(err)
	}
}

// inBucket is what a reader finds that has fetched nothing before.
func inBucket(t *testing.T) (indexFiles, error) {
	t.Helper()
	c, err := open(t).Read()
	if err != nil {
		return nil, err
	}
	defer c.Close()
	return read(t, c.Dir), nil
}

func mustBe(t *testing.T, want indexFiles) {
	t.Helper()
	if got, err := inBucket(t); err != nil || !maps.Equal(got, want) {
		t.Errorf("in the bucket is %v, %v", got, err)
	}
}

// asked are the requests of a method, without the lock's.
func asked(server *buckettest.Server, method string) (paths []string) {
	for _, request := range server.Requests() {
		path, ok := strings.CutPrefix(request, method+" /bucket/some/idx/")
		if ok && path != lockName {
			paths = append(paths, path)
		}
	}
	return paths
}

func TestGenerations(t *testing.T) {
	server, b := start(t), open(t)
	if _, err := b.Read(); err == nil || !strings.Contains(err.Error(), "there is no index at "+url) {
		t.Error(err)
	}
	mustTurn(t, b, first)
	mustBe(t, first)
	server.Requests()
	mustTurn(t, b, second)
	sent := asked(server, "PUT")
	if len(sent) != 5 || !strings.HasPrefix(sent[0], "2-") || sent[4] != currentName {
		t.Errorf("sent: %v", sent)
	}
	mustBe(t, second)
	if n := len(server.Objects()); n != len(second)+1 {
		t.Errorf("%d objects are left: %v", n, slices.Collect(maps.Keys(server.Objects())))
	}
	// what a later run may be sending, and what others keep there, is let alone
	foreign := []string{
		"/bucket/some/idx/9-0123456789abcdef/log-1", "/bucket/some/idx/notes", "/bucket/some/idx2/log-1",
	}
	for _, path := range foreign {
		server.Set(path, []byte("x"))
	}
	mustTurn(t, b, first)
	mustTurn(t, b, second)
	for _, path := range foreign {
		if server.Objects()[path] == nil {
			t.Errorf("%s is gone", path)
		}
	}
	// what is not changed is not published again
	server.Requests()
	mustTurn(t, b, second)
	if sent := asked(server, "PUT"); len(sent) > 0 {
		t.Errorf("sent: %v", sent)
	}
}

// A reader that is overtaken by a writer, which removes what it wants, begins again.
func TestReaderIsOvertaken(t *testing.T) {
	server, b := start(t), open(t)
	mustTurn(t, b, first)
	var once atomic.Bool
	server.Disturb(func(_ http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(server.ObjectOf(r), "/log-1") && once.CompareAndSwap(false, true) {
			mustTurn(t, b, second)
		}
		return false
	}, nil)
	mustBe(t, second)
}

func TestDamage(t *testing.T) {
	server, b := start(t), open(t)
	mustTurn(t, b, first)
	for path, body := range server.Objects() {
		if len(body) == 0 {
			continue
		}
		wrong := slices.Clone(body)
		wrong[len(wrong)/2] ^= 1
		for what, damaged := range map[string][]byte{
			"missing": nil, "changed": wrong, "cut": body[:len(body)-1], "longer": append(slices.Clone(body), 'x'),
		} {
			server.Set(path, damaged)
			x, err := inBucket(t)
			if err == nil || !strings.Contains(err.Error(), ":/"+path) && !strings.Contains(err.Error(), url) {
				t.Errorf("%s of %s: %v, %v", what, path, x, err)
			}
			if strings.HasSuffix(path, currentName) && what == "missing" {
				continue // there is no index
			}
			if err := turn(t, open(t), second); err == nil {
				t.Errorf("%s of %s: it is written to", what, path)
			}
			if _, locked := server.Objects()["/bucket/some/idx/LOCK"]; locked {
				t.Errorf("%s of %s: the lock is left", what, path)
			}
		}
		server.Set(path, body)
	}
	mustBe(t, first)
}

func TestNames(t *testing.T) {
	client := object.NewClient(t.Context(), object.Options{})
	for _, wrong := range []string{
		"s3://bucket", "s3://bucket/", "s3:///x", "https://host/x", "dir", "s3://b/x*", "s3://",
	} {
		if _, err := Open(client, wrong, t.TempDir()); err == nil {
			t.Error(wrong, "is an index")
		}
	}
}

func FuzzGeneration(f *testing.F) {
	g := generation{number: 7, files: []file{
		{"MANIFEST", 3, 5, "7-0123456789abcdef/MANIFEST"},
		{"runs/00000001.json", 0, 1 << 63, "1-0123456789abcdef/runs/00000001.json"},
	}}
	f.Add(g.encode())
	f.Fuzz(func(t *testing.T, text []byte) {
		g, err := decodeGeneration(text)
		if err != nil {
			return
		}
		if string(g.encode()) != string(text) {
			t.Errorf("%q is read as %q", text, g.encode())
		}
		for _, f := range g.files {
			if !filepath.IsLocal(f.name) || !filepath.IsLocal(f.key) || f.length < 0 {
				t.Errorf("%+v", f)
			}
		}
	})
}
