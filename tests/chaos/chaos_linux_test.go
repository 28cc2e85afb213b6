package chaos

import (
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
)

var (
	stops = flag.Int("stops", 150, "how often the program is stopped; 10000 for a thorough run")
	seed  = flag.Uint64("seed", 1, "of all that is drawn")
	round = flag.Int("round", -1, "the only round to run, as a failure names it")
)

// program is built once for all rounds.
var program string

func TestMain(m *testing.M) {
	if os.Getenv(measuring) != "" {
		os.Exit(measure(os.Args[1:]))
	}
	flag.Parse()
	if testing.Short() {
		fmt.Println("left to the longer run: all tests start a program that is built without the race detector")
		os.Exit(0)
	}
	dir, err := os.MkdirTemp("", "chaos")
	if err != nil {
		panic(err)
	}
	program = filepath.Join(dir, "mithril-stream")
	build := exec.Command("go", "build", "-o", program, "../..")
	build.Env, build.Stderr = append(os.Environ(), "CGO_ENABLED=0"), os.Stderr // as make build does
	code := 1
	if err := build.Run(); err == nil {
		code = m.Run()
	}
	os.RemoveAll(dir)
	os.Exit(code)
}

// An undisturbed run of a scenario: what it leaves, and how long its longest command took.
type undisturbed struct {
	files   map[string][]byte
	longest time.Duration
}

// TestChaos goes through the scenarios, round after round. In each command of a round the program
// is disturbed until it succeeds, and often once more after that.
func TestChaos(t *testing.T) {
	disk := newDisk(t)
	dir := disk.dir
	if err := os.Mkdir(filepath.Join(dir, "in"), 0o777); err != nil {
		t.Fatal(err)
	}
	writeInputs(t, filepath.Join(dir, "in"))
	buckets := startBuckets(t)
	wanted := make([]undisturbed, len(scenarios))
	stopped := 0
	for n := 0; stopped < *stops; n++ {
		if *round >= 0 {
			if n = *round; stopped > 0 {
				break
			}
		}
		i := n % len(scenarios)
		if wanted[i].files == nil {
			wanted[i] = leaveAlone(t, dir, scenarios[i])
			buckets.empty()
		}
		c := &chaos{t: t, rng: rand.New(rand.NewPCG(*seed, uint64(n))), round: n, scenario: scenarios[i],
			want: wanted[i], disk: disk, dir: filepath.Join(dir, fmt.Sprint("round", n))}
		c.run()
		buckets.empty()
		stopped += c.stopped
		if *round >= 0 {
			break
		}
	}
	t.Logf("seed %d: the program was stopped %d times", *seed, stopped)
}

func leaveAlone(t *testing.T, dir string, s scenario) (u undisturbed) {
	work := filepath.Join(dir, "undisturbed "+s.name)
	if err := os.Mkdir(work, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, args := range s.commands {
		started := time.Now()
		rest, input := inputOf(args)
		cmd := exec.Command(program, rest...)
		cmd.Dir, cmd.Env = work, append(os.Environ(), cacheIn(work))
		in, err := give(cmd, work, input)
		if err != nil {
			t.Fatal(err)
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s, left alone: %v: %v: %s", s.name, args, err, out)
		}
		in.Close()
		u.longest = max(u.longest, time.Since(started))
	}
	u.files = filesOf(t, work, s.indexes)
	if err := os.RemoveAll(work); err != nil { // the disk is a small one
		t.Fatal(err)
	}
	if len(u.files) == 0 {
		t.Fatalf("%s leaves nothing to compare", s.name)
	}
	for _, pair := range s.equal {
		var got []byte
		for name := range strings.SplitSeq(pair[0], "+") {
			got = append(got, u.files[name]...)
		}
		if want := u.files[pair[1]]; len(want) == 0 || !bytes.Equal(got, want) {
			t.Fatalf("%s: %s has %d bytes, and is not %s, which has %d", s.name, pair[0], len(got), pair[1], len(want))
		}
	}
	return u
}

// chaos is one round.
type chaos struct {
	t        *testing.T
	rng      *rand.Rand
	round    int
	scenario scenario
	want     undisturbed
	disk     *disk
	dir      string // on the disk
	stopped  int
	failing  bool // an error of the system was injected
	tookBack bool // a run, since a message said so
	history  []string
}

func (c *chaos) run() {
	if err := os.Mkdir(c.dir, 0o777); err != nil {
		c.t.Fatal(err)
	}
	defer func() {
		if c.t.Failed() {
			c.t.Logf("%s, round %d. Again: go test ./tests/chaos -seed %d -round %d\n%s", c.scenario.name,
				c.round, *seed, c.round, strings.Join(c.history, "\n"))
		}
	}()
	for _, args := range c.scenario.commands {
		if slices.Equal(args[:2], undone(1)[:2]) {
			c.undo(args)
			continue
		}
		c.untilDone(args)
		if c.rng.IntN(3) == 0 { // a command may be repeated
			c.untilDone(args)
		}
	}
	if !c.scenario.once && c.rng.IntN(4) == 0 { // and a job as a whole
		for _, args := range c.scenario.commands {
			c.untilDone(args)
		}
	}
	got := filesOf(c.t, c.dir, c.scenario.indexes)
	for _, name := range slices.Sorted(maps.Keys(c.want.files)) {
		if file, ok := got[name]; !ok || !bytes.Equal(file, c.want.files[name]) {
			c.t.Errorf("%s has %d bytes (there: %v), not the %d of an undisturbed run", name, len(file), ok,
				len(c.want.files[name]))
		}
		delete(got, name)
	}
	for name := range got {
		c.t.Errorf("%s is left over", name)
	}
	if c.t.Failed() {
		c.t.FailNow()
	}
	os.RemoveAll(c.dir)
}

// mostTries bounds how often a command is disturbed; then it is left alone.
const mostTries = 6

// untilDone gives a command again and again, until it succeeds.
func (c *chaos) untilDone(args []string) {
	for tries := 0; !c.try(args, tries); tries++ {
	}
}

// try gives a command under the next disturbance, and reports whether it has succeeded.
func (c *chaos) try(args []string, tries int) (done bool) {
	d := draw(c.rng, c.want.longest)
	if tries >= mostTries {
		d = disturbance{after: time.Hour}
	}
	c.history = append(c.history, fmt.Sprintf("%v: %v", args, d))
	done, stopped := c.start(d, args)
	if stopped {
		c.stopped++
	}
	for _, name := range c.scenario.whole {
		file, err := contentOf(filepath.Join(c.dir, name))
		if !errors.Is(err, fs.ErrNotExist) && (err != nil || !bytes.Equal(file, c.want.files[name])) {
			c.t.Errorf("%s is there with %d bytes (%v), not the %d of an undisturbed run", name, len(file), err,
				len(c.want.files[name]))
		}
	}
	return done
}

// filesOf reads what is compared: all files but those of indexes.
func filesOf(t *testing.T, dir string, indexes []string) map[string][]byte {
	files := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (slices.Contains(indexes, name) || name == indexCache):
			return filepath.SkipDir
		case entry.IsDir():
			return nil
		}
		files[name], err = contentOf(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// contentOf is what is in a file. Where the members of a compressed file end depends on when it was
// stopped: so it is what is compressed that counts.
func contentOf(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var r io.Reader = f
	switch filepath.Ext(path) {
	case ".gz":
		r, err = gzip.NewReader(f)
	case ".zst":
		var z *zstd.Decoder
		if z, err = zstd.NewReader(f); err == nil {
			defer z.Close()
			r = z
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return io.ReadAll(r)
}
