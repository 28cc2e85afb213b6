package power

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/storetest"
)

// TestOperationFails has one operation of a command fail, as on a disk that is full for a moment.
// The command ends with an error, or does without what has failed; given again, its outputs and
// what is remembered are as if nothing had been.
func TestOperationFails(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the program many times; the longer run of the tests does it")
	}
	t.Parallel()
	for _, s := range scenarios() {
		t.Run(strings.ReplaceAll(s.name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			s.fail(t)
		})
	}
}

func (s scenario) fail(t *testing.T) {
	p := s.prepare(t)
	here, want, before, did := p.here, p.want, p.disk, p.did
	random := rand.New(rand.NewPCG(*seed, 11))
	isDrawn := draw(len(did), 12)
	for n := range did {
		if !isDrawn[n] {
			continue
		}
		if err := storetest.Restore(here, before.Image(storetest.Losses[0], random)); err != nil { // all of it lasts
			t.Fatal(err)
		}
		said, err := s.runFailing(here, n+1)
		if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
			t.Fatalf("operation %d, %s %s, fails: the command ends with %v: %s", n+1, did[n].Kind, did[n].Path, err,
				said)
		}
		if err := s.goOn(here, want); err != nil {
			t.Fatalf("operation %d of %d, %s %s, fails (-seed %d), and the command says %q: %v", n+1, len(did),
				did[n].Kind, did[n].Path, *seed, said, err)
		}
	}
}

// runFailing runs the command with an operation that fails.
func (s scenario) runFailing(dir string, operation int) (said string, err error) {
	cmd := exec.Command(failing, strings.Fields(s.what)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", failAt, operation))
	out, err := cmd.CombinedOutput()
	return string(out), err
}
