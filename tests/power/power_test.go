package power

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/storetest"
)

var (
	states = flag.Int("states", 4, "of each scenario, how many losses of power, and how many failures; 0 for all")
	rounds = flag.Int("rounds", 1, "after each operation, how many losses of a random part")
	seed   = flag.Uint64("seed", 1, "of what is lost")
)

// A scenario is a command that the power goes during, and what came before it.
type scenario struct {
	name   string
	before []string // commands
	what   string   // the command
	again  string   // what is given when the power is back; empty for the same
	after  string   // another command, whose outputs show what is remembered
	files  string   // that must be as if nothing had been

	index   string // "ix" if empty
	objects string // of a bucket, that must be as if nothing had been before the other command
}

// TestPowerIsLost loses the power after each operation of a command on files. Then the command is
// given again, or what the message names as the way out, and the outputs, and those of the command
// after it, must be as if nothing had been.
func TestPowerIsLost(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the program many times; the longer run of the tests does it")
	}
	t.Parallel()
	for _, s := range scenarios() {
		t.Run(strings.ReplaceAll(s.name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			s.test(t)
		})
	}
}

func (s scenario) test(t *testing.T) {
	p := s.prepare(t)
	start, want, before, did := p.here, p.want, p.disk, p.did
	if len(did) < 8 {
		t.Fatalf("the command did %d operations on files, which cannot be all", len(did))
	}
	tries := allLosses()
	isDrawn := draw((len(did)+1)*len(tries), 7)
	count, tried := 0, map[[sha256.Size]byte]bool{}
	for n := 0; n <= len(did); n++ {
		for i, l := range tries {
			if !isDrawn[n*len(tries)+i] {
				continue
			}
			count++
			image := before.Image(l, rand.New(rand.NewPCG(*seed, uint64(n*len(tries)+i))))
			if known := storetest.Sum(image); tried[known] {
				continue
			} else {
				tried[known] = true
			}
			if err := storetest.Restore(start, image); err != nil {
				t.Fatal(err)
			}
			if err := s.goOn(start, want); err != nil {
				last := "before the first"
				if n > 0 {
					last = fmt.Sprintf("%d of %d, %s %s %s", n, len(did), did[n-1].Kind, did[n-1].Path, did[n-1].To)
				}
				t.Fatalf("the power goes after operation %s, and leaves %s (-seed %d): %v", last, l.Name, *seed, err)
			}
		}
		if n < len(did) {
			if err := before.Do(did[n].Operation); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Logf("%d operations, %d states, %d different ones", len(did), count, len(tried))
}

// prepared is what a scenario has before its command and after it.
type prepared struct {
	here, want string          // the command runs here; as if nothing had been, with the command after it
	disk       *storetest.Disk // what was here before the command
	did        []operation     // of the command
}

// prepare runs the commands of a scenario. What came before the command is run once: its outputs
// are known by their paths, so the power goes in the folder where they were written.
func (s scenario) prepare(t *testing.T) (p prepared) {
	t.Helper()
	p.here, p.want = filepath.Join(t.TempDir(), "here"), filepath.Join(t.TempDir(), "want")
	if err := os.Mkdir(p.here, 0o700); err != nil {
		t.Fatal(err)
	}
	writeDays(t, p.here)
	for _, args := range s.before {
		mustRun(t, p.here, args)
	}
	var err error
	if p.disk, err = storetest.ReadDisk(p.here); err != nil {
		t.Fatal(err)
	}
	if p.did, err = operations(p.here, strings.Fields(s.what)); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(p.want, os.DirFS(p.here)); err != nil {
		t.Fatal(err)
	}
	mustRun(t, p.want, s.after)
	return p
}

// draw returns which of so many cases are tried: as many as -states says.
func draw(cases int, stream uint64) (isDrawn []bool) {
	isDrawn = make([]bool, cases)
	for i, n := range rand.New(rand.NewPCG(*seed, stream)).Perm(cases) {
		isDrawn[n] = *states == 0 || i < *states
	}
	return isDrawn
}

// allLosses are the losses that are tried after each operation: those of a random part as often as
// -rounds says.
func allLosses() (list []storetest.Loss) {
	for _, l := range storetest.Losses {
		list = append(list, l)
		for n := 1; n < *rounds && l.Torn; n++ {
			list = append(list, l)
		}
	}
	return list
}

// goOn gives the command again in a folder that a loss of power has left, and compares.
func (s scenario) goOn(left, want string) error {
	again := s.again
	if again == "" {
		again = s.what
	}
	said, err := run(left, strings.Fields(again))
	for tries := 0; err != nil && tries < 2; tries++ {
		way := wayOut(said)
		if way == "" {
			return fmt.Errorf("%s: %w: %s", again, err, said)
		}
		if way != again {
			if out, err := run(left, strings.Fields(way)); err != nil {
				return fmt.Errorf("%s says %s, and the way out fails: %w: %s", again, said, err, out)
			}
		}
		if strings.Contains(way, "--resume") {
			err = nil
			break
		}
		said, err = run(left, strings.Fields(again))
	}
	if err != nil {
		return fmt.Errorf("%s: %w: %s", again, err, said)
	}
	if out, err := run(left, strings.Fields("index verify "+cmp.Or(s.index, "ix"))); err != nil {
		return fmt.Errorf("verify: %w: %s", err, out)
	}
	if out, err := run(left, strings.Fields(s.after)); err != nil {
		return fmt.Errorf("%s: %w: %s", s.after, err, out)
	}
	for _, name := range strings.Fields(s.files) {
		got, err := os.ReadFile(filepath.Join(left, name))
		if err != nil {
			return err
		}
		wanted, err := os.ReadFile(filepath.Join(want, name))
		if err != nil {
			return err
		}
		if !bytes.Equal(got, wanted) {
			return fmt.Errorf("%s has %d bytes, and not the %d that it is to have: %.200q", name, len(got), len(wanted),
				got)
		}
	}
	return nil
}

var wayOutOf = regexp.MustCompile(`mithril-stream (index (undo[^,;)\n]* ix|unlock s3://bucket/ix))`)

// wayOut is the command that a message names; empty if it names none.
func wayOut(said string) string {
	if m := wayOutOf.FindStringSubmatch(said); m != nil {
		return m[1]
	}
	return ""
}

func mustRun(t *testing.T, dir, args string) {
	t.Helper()
	if args == "" {
		return
	}
	if out, err := run(dir, strings.Fields(args)); err != nil {
		t.Fatalf("%s: %v\n%s", args, err, out)
	}
}

// records is how many a day has: verdicts are written in groups of 64.
const records = 160

// writeDays writes days of records, a third of which are like earlier ones.
func writeDays(t *testing.T, dir string) {
	t.Helper()
	for day := range 4 {
		var text bytes.Buffer
		for n := range records {
			of := day*records + n
			if n%3 == 2 {
				of -= 2 + n%2*records
			}
			fmt.Fprintf(&text, `{"id":"%d.%d","at":%d,"text":"`, day, n, 1_700_000_000+86_400*day+n)
			for word := range 24 {
				fmt.Fprintf(&text, "w%d ", (of+1000)*100+word)
			}
			text.WriteString("\"}\n")
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("day%d", day)), text.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "ids"), []byte("0.1\n0.4\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}
