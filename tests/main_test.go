package tests

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/mithril-stream/mithril-stream/internal/command"
	_ "github.com/mithril-stream/mithril-stream/internal/limits"
)

// The scripts in testdata/script run the program as a user would. The first word of a script's name
// is its subject.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Files:               scripts(),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("GORACE", os.Getenv("GORACE"))
			testdata, err := filepath.Abs("internal/parquet/testdata")
			env.Setenv("PARQUET", testdata)
			if err == nil {
				testdata, err = filepath.Abs("internal/arrow/testdata")
				env.Setenv("ARROW", testdata)
			}
			if err == nil {
				testdata, err = filepath.Abs("sketch/embedding/testdata")
				env.Setenv("MODELS", testdata)
			}
			if err == nil {
				testdata, err = filepath.Abs("sketch/onnx/testdata")
				env.Setenv("ONNX_MODELS", testdata)
			}
			return err
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status":    statusCommand,
			"interrupt": interruptCommand,
			"firstline": firstLineCommand,
			"hold":      holdCommand,
			"ask":       askCommand,
			"repeat":    repeatCommand,
		},
	})
}

func TestMain(m *testing.M) {
	if os.Getenv("GORACE") == "" { // under -race each program that is run would wait a second at its end
		os.Setenv("GORACE", "atexit_sleep_ms=0")
	}
	testscript.Main(atTheTop{m}, map[string]func(){"mithril-stream": command.Main, "mithril-onnx": fakeONNX})
}

// atTheTop are tests that run in the top folder of the repository.
type atTheTop struct{ tests *testing.M }

func (a atTheTop) Run() int {
	if err := os.Chdir(".."); err != nil {
		panic(err)
	}
	if err := chooseShort(); err != nil {
		panic(err)
	}
	return a.tests.Run()
}

// feed writes a file of the script, without its last newline, and waits for the given number of
// lines of output.
func (p *process) feed(ts *testscript.TestScript, file, lines string) {
	_, err := io.WriteString(p.in, strings.TrimSuffix(ts.ReadFile(file), "\n"))
	ts.Check(err)
	n, err := strconv.Atoi(lines)
	ts.Check(err)
	for range n {
		_, err := p.lines.ReadString('\n')
		ts.Check(err)
	}
}

// statusCommand is `status CODE COMMAND ARG…`: the command must end with that exit code.
func statusCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status CODE COMMAND ARG…")
	}
	err := ts.Exec(args[1], args[2:]...)
	if got := exitCode(err); strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit code %d, want %s (%v)", got, args[0], err)
	}
}

func exitCode(err error) int {
	exit, ok := err.(*exec.ExitError)
	switch {
	case err == nil:
		return 0
	case !ok:
		return -1
	}
	return exit.ExitCode()
}

// A process is a mithril-stream with pipes at both ends.
type process struct {
	*exec.Cmd
	in       io.WriteCloser
	out      io.ReadCloser
	lines    *bufio.Reader // of out
	messages strings.Builder
}

// start runs mithril-stream in the script's folder.
func start(ts *testscript.TestScript, args []string) *process {
	return startWith(ts, args, nil)
}

// startWith is start with another place for messages, if that is not nil.
func startWith(ts *testscript.TestScript, args []string, stderr io.Writer) *process {
	path, err := exec.LookPath("mithril-stream")
	ts.Check(err)
	p := &process{Cmd: exec.Command(path, args...)}
	p.Dir = ts.Getenv("WORK")
	if p.Stderr = stderr; stderr == nil {
		p.Stderr = &p.messages
	}
	p.in, err = p.StdinPipe()
	ts.Check(err)
	p.out, err = p.StdoutPipe()
	ts.Check(err)
	p.lines = bufio.NewReader(p.out)
	ts.Check(p.Start())
	return p
}

// waitFor fails unless the program ends with the exit code that want says.
func (p *process) waitFor(ts *testscript.TestScript, want string) {
	if code := exitCode(p.Wait()); strconv.Itoa(code) != want {
		ts.Fatalf("exit code %d, want %s: %s", code, want, &p.messages)
	}
}

// interruptCommand is `interrupt SIGNAL CODE INPUT LINES ARG…`: it feeds INPUT without its last
// newline, waits for LINES lines of output while the input stays open, sends the signal, and
// expects the exit code.
func interruptCommand(ts *testscript.TestScript, neg bool, args []string) {
	signals := map[string]syscall.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM}
	p := start(ts, args[4:])
	p.feed(ts, args[2], args[3])
	ts.Check(p.Process.Signal(signals[args[0]]))
	rest, err := io.ReadAll(p.lines)
	ts.Check(err)
	p.waitFor(ts, args[1])
	ts.Setenv("REST", string(rest))
	ts.Setenv("STDERR", p.messages.String())
}

// holdCommand is `hold INPUT LINES ARG…`: it feeds INPUT, waits for LINES lines of output, and
// leaves the program running until the script ends.
func holdCommand(ts *testscript.TestScript, neg bool, args []string) {
	p := start(ts, args[2:])
	p.feed(ts, args[0], args[1])
	ts.Defer(func() {
		p.in.Close()
		p.Wait()
	})
}

// askCommand is `ask INPUT LINES ARG…`: it feeds INPUT, waits for LINES lines of output, sends
// SIGUSR1, and expects a line of progress while the input is still open, and success when it is
// closed.
func askCommand(ts *testscript.TestScript, neg bool, args []string) {
	messages, stderr, err := os.Pipe()
	ts.Check(err)
	defer messages.Close()
	p := startWith(ts, args[2:], stderr)
	ts.Check(stderr.Close())
	p.feed(ts, args[0], args[1])
	ts.Check(p.Process.Signal(syscall.SIGUSR1))
	line, err := bufio.NewReader(messages).ReadString('\n')
	ts.Check(err)
	ts.Setenv("PROGRESS", line)
	ts.Check(p.in.Close())
	p.waitFor(ts, "0")
}

// firstLineCommand is `firstline CODE INPUT ARG…`: it reads one line of output, closes the pipe,
// and goes on feeding INPUT until the program ends, which must be with that exit code and without a
// word.
func firstLineCommand(ts *testscript.TestScript, neg bool, args []string) {
	p := start(ts, args[2:])
	input := ts.ReadFile(args[1])
	go func() {
		defer p.in.Close()
		for n := 0; ; n++ { // new records, so that there is always something to write
			record := strings.ReplaceAll(input, "NUMBER", strconv.Itoa(n))
			if _, err := io.WriteString(p.in, record); err != nil {
				return
			}
		}
	}()
	_, err := p.lines.ReadString('\n')
	ts.Check(err)
	ts.Check(p.out.Close())
	p.waitFor(ts, args[0])
	if p.messages.Len() != 0 {
		ts.Fatalf("stderr %q", &p.messages)
	}
}

// repeatCommand is `repeat COUNT TEXT FILE`: it writes TEXT COUNT times; \n in it is a newline.
func repeatCommand(ts *testscript.TestScript, neg bool, args []string) {
	count, err := strconv.Atoi(args[0])
	ts.Check(err)
	text := strings.ReplaceAll(args[1], `\n`, "\n")
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(strings.Repeat(text, count)), 0o666))
}
