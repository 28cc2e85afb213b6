package power

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/buckettest"
	"github.com/mithril-stream/mithril-stream/internal/store"
	"github.com/mithril-stream/mithril-stream/internal/storetest"
)

// cacheDir is where the program keeps its copies of an index in a bucket, in the folder of a
// scenario.
const cacheDir = "cache"

// TestPowerIsLostBesideABucket is TestPowerIsLost for indexes in a bucket. What the service has
// stored survives whatever the machine loses, and a request may be carried out although its answer
// never arrives. The program flushes nothing in its cache, so a loss of power leaves any of it.
func TestPowerIsLostBesideABucket(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the program many times; the longer run of the tests does it")
	}
	t.Setenv("MITHRIL_STREAM_INDEX_CACHE", cacheDir)
	server := buckettest.S3(t)
	for _, s := range bucketScenarios() {
		t.Run(strings.ReplaceAll(s.name, " ", "_"), func(t *testing.T) { s.testBeside(t, server) })
	}
}

const bucketIndex = "s3://bucket/ix"

// bucketScenarios are commands on an index in a bucket.
func bucketScenarios() (list []scenario) {
	add := func(name string, s scenario) {
		s.name, s.index = name, bucketIndex
		list = append(list, s)
	}
	for name, options := range map[string]string{
		"filters": "--capacity 1000", "exact": "--memory exact --id id",
		"exact that forgets": "--memory exact --id id --capacity 200 --keep-generations 3",
	} {
		run := func(day int, more string) string {
			return fmt.Sprintf("-q %s --format jsonl --index %s day%d -o out%[3]d %[4]s", options, bucketIndex, day,
				more)
		}
		add(name+", first run", scenario{what: run(0, ""), after: run(1, ""), files: "out0 out1"})
		add(name+", run", scenario{
			before: []string{run(0, "")}, what: run(1, ""), after: run(2, ""), files: "out1 out2",
		})
		add(name+", repeat", scenario{
			before: []string{run(0, ""), run(1, "")}, what: run(1, ""), after: run(2, ""), files: "out1 out2",
		})
		add(name+", undo", scenario{
			before: []string{run(0, ""), run(1, "")}, what: "index undo --to 1 " + bucketIndex, after: run(2, ""),
			files: "out2",
		})
		add(name+", compact", scenario{
			before: []string{run(0, ""), run(1, "")}, what: "index compact " + bucketIndex, after: run(2, ""),
			files: "out2",
		})
	}
	exact := func(day int, more string) string {
		return fmt.Sprintf("-q --memory exact --id id --format jsonl --index %s day%d %s", bucketIndex, day, more)
	}
	add("exact, counts", scenario{
		before: []string{exact(0, "-o out0 --counts c0")}, what: exact(1, "-o out1 --counts c1"),
		after: exact(2, "-o out2 --counts c2"), files: "out1 c1 out2 c2",
	})
	add("exact, delete", scenario{
		before: []string{exact(0, "-o out0"), exact(1, "-o out1")}, what: "index delete " + bucketIndex + " --ids ids",
		after: exact(2, "-o out2"), files: "out2",
	})
	add("exact, output in the bucket", scenario{
		before: []string{exact(0, "-o s3://bucket/out0")}, what: exact(1, "-o s3://bucket/out1 --flags s3://bucket/f"),
		after: exact(2, "-o out2"), files: "out2", objects: "/bucket/out1 /bucket/f",
	})
	add("exact, shards in the bucket", scenario{
		before: []string{exact(0, "-o out0")}, what: exact(1, "--output-dir s3://bucket/d --shard-records 50"),
		after: exact(2, "-o out2"), files: "out2", objects: "/bucket/d/part-00000.jsonl /bucket/d/part-00001.jsonl",
	})
	return list
}

// A step is an operation on local files, or what a bucket and the cache hold once a request was
// carried out.
type step struct {
	operation store.Operation // without a Kind for a request
	request   string
	objects   map[string][]byte
	cache     []storetest.Entry
}

func (s step) String() string {
	if s.request != "" {
		return s.request
	}
	return fmt.Sprintf("%s %s %s", s.operation.Kind, s.operation.Path, s.operation.To)
}

func (s scenario) testBeside(t *testing.T, server *buckettest.Server) {
	setObjects(server, nil)
	here, want := filepath.Join(t.TempDir(), "here"), filepath.Join(t.TempDir(), "want")
	if err := os.Mkdir(here, 0o700); err != nil {
		t.Fatal(err)
	}
	writeDays(t, here)
	for _, args := range s.before {
		mustRun(t, here, args)
	}
	disk, err := storetest.ReadDisk(here)
	if err != nil {
		t.Fatal(err)
	}
	disk.Forget(cacheDir)
	now := step{request: "none", objects: server.Objects(), cache: readCache(t, here)}
	begin := state{disk.Image(storetest.Losses[1], nil), now}
	steps := s.steps(t, here, server)
	if err := begin.restore(want, server); err != nil {
		t.Fatal(err)
	}
	mustRun(t, want, s.what)
	objects := server.Objects()
	mustRun(t, want, s.after)

	tries := allLosses()
	isDrawn := draw((len(steps)+1)*len(tries), 13)
	count, tried := 0, map[[sha256.Size]byte]bool{}
	for n := 0; n <= len(steps); n++ {
		for i, l := range tries {
			if !isDrawn[n*len(tries)+i] {
				continue
			}
			count++
			random := rand.New(rand.NewPCG(*seed, uint64(n*len(tries)+i)))
			left := state{disk.Image(l, random), now}
			left.cache = damaged(now.cache, random)
			if known := left.sum(); tried[known] {
				continue
			} else {
				tried[known] = true
			}
			if err := left.restore(here, server); err != nil {
				t.Fatal(err)
			}
			err := s.goOn(here, want)
			for _, name := range strings.Fields(s.objects) {
				if err == nil && !bytes.Equal(server.Objects()[name], objects[name]) {
					err = fmt.Errorf("the object %s differs", name)
				}
			}
			if err != nil {
				t.Fatalf("the power goes after step %d of %d (%v; last request: %s), and leaves %s (-seed %d): %v", n,
					len(steps), steps[:n][max(0, n-1):], now.request, l.Name, *seed, err)
			}
		}
		if n == len(steps) {
			break
		}
		if steps[n].request != "" {
			now = steps[n]
		} else if err := disk.Do(steps[n].operation); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d steps, %d states, %d different ones", len(steps), count, len(tried))
}

// steps runs the command in a folder, and returns its operations on local files outside of the
// cache, and its requests that change the bucket, in their order.
func (s scenario) steps(t *testing.T, dir string, server *buckettest.Server) (list []step) {
	type request struct {
		step
		recorded int64 // bytes of the record of operations when it was carried out
	}
	var requests []request
	var one sync.Mutex
	server.Disturb(nil, func(r *http.Request) {
		if !buckettest.Writes(r) && r.Method != http.MethodDelete {
			return
		}
		one.Lock()
		defer one.Unlock()
		info, err := os.Stat(recordOf(dir))
		if err != nil {
			t.Error(err)
			return
		}
		requests = append(requests, request{
			step{
				request: r.Method + " " + server.ObjectOf(r), objects: server.Objects(), cache: readCache(t, dir),
			}, info.Size(),
		})
	})
	did, err := operations(dir, strings.Fields(s.what))
	server.Disturb(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range did {
		for len(requests) > 0 && requests[0].recorded < o.end {
			list, requests = append(list, requests[0].step), requests[1:]
		}
		if !storetest.IsBelow(o.Path, cacheDir) {
			list = append(list, step{operation: o.Operation})
		}
	}
	for _, r := range requests {
		list = append(list, r.step)
	}
	if len(list) < 8 {
		t.Fatalf("the command took %d steps, which cannot be all: %v", len(list), list)
	}
	return list
}

// A state is what a loss of power leaves: local files, and a bucket and a cache as after a request.
type state struct {
	files []storetest.Entry
	step
}

func (s state) sum() [sha256.Size]byte {
	objects := make([]storetest.Entry, 0, len(s.objects))
	for _, name := range slices.Sorted(maps.Keys(s.objects)) {
		objects = append(objects, storetest.Entry{Path: name, Data: s.objects[name]})
	}
	return storetest.Sum(slices.Concat(s.files, s.cache, objects))
}

func (s state) restore(dir string, server *buckettest.Server) error {
	setObjects(server, s.objects)
	return storetest.Restore(dir, slices.Concat(s.files, s.cache))
}

// setObjects makes the server have these objects and no others.
func setObjects(server *buckettest.Server, objects map[string][]byte) {
	for name := range server.Objects() {
		if _, ok := objects[name]; !ok {
			server.Set(name, nil)
		}
	}
	for name, body := range objects {
		server.Set(name, body)
	}
}

// readCache reads the cache of a folder. The program may be at work on it.
func readCache(t *testing.T, dir string) (list []storetest.Entry) {
	err := filepath.WalkDir(filepath.Join(dir, cacheDir), func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		e := storetest.Entry{IsDir: d.IsDir()}
		if e.Path, err = filepath.Rel(dir, path); err != nil {
			return err
		}
		if !e.IsDir {
			if e.Data, err = os.ReadFile(path); errors.Is(err, fs.ErrNotExist) {
				return nil
			}
		}
		list = append(list, e)
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return list
}

// damaged is what a loss of power may leave of a cache: all of it or nothing, or files that are
// missing, cut off or zero.
func damaged(cache []storetest.Entry, random *rand.Rand) (list []storetest.Entry) {
	whole := random.IntN(3)
	if whole == 0 {
		return cache
	}
	if whole == 1 && random.IntN(2) == 0 {
		return nil
	}
	for _, e := range cache {
		switch length := len(e.Data); random.IntN(5) {
		case 0:
			e.Data = e.Data[:random.IntN(length+1)]
		case 1:
			e.Data = make([]byte, length)
		case 2:
			if !e.IsDir {
				continue
			}
		}
		list = append(list, e)
	}
	return list
}
