package stats

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/mithril-stream/mithril-stream/internal/command"
)

func TestMain(m *testing.M) {
	if os.Getenv("GORACE") == "" { // under -race each program that is run would wait a second at its end
		os.Setenv("GORACE", "atexit_sleep_ms=0")
	}
	testscript.Main(atTheTop{m}, map[string]func(){"mithril-stream": command.Main})
}

// atTheTop runs the tests in the top folder of the repository.
type atTheTop struct{ tests *testing.M }

func (a atTheTop) Run() int {
	if err := os.Chdir("../.."); err != nil {
		panic(err)
	}
	return a.tests.Run()
}
