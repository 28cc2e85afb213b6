package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"golang.org/x/sys/unix"

	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/run"
)

// TestDurationsOfALogAreSeconds, as those of the metrics are.
func TestDurationsOfALogAreSeconds(t *testing.T) {
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{ReplaceAttr: inSeconds})).
		Info("waited", "since", 1500*time.Millisecond, "warnings", 11)
	var line map[string]any
	if err := json.Unmarshal(log.Bytes(), &line); err != nil || line["since"] != 1.5 || line["warnings"] != 11. {
		t.Errorf("%s, %v", log.String(), err)
	}
}

// TestTheEndOfAConsumerIsInItsLog, and nowhere else.
func TestTheEndOfAConsumerIsInItsLog(t *testing.T) {
	for _, c := range []struct {
		err   error
		level string
		code  int
	}{
		{errors.New("no \"topic\""), "ERROR", ExitFailed},
		{run.SignalError{Signal: syscall.SIGTERM}, "INFO", 143},
	} {
		var log bytes.Buffer
		err := logged(c.err, slog.New(slog.NewJSONHandler(&log, nil)), []string{"mithril-stream"})
		var line map[string]any
		if json.Unmarshal(log.Bytes(), &line) != nil || line["level"] != c.level ||
			line["exit_code"] != float64(c.code) || line["msg"] != c.err.Error() {
			t.Errorf("%s", log.String())
		}
		if code, message := Outcome(err, nil); code != c.code || message != "" {
			t.Errorf("%d, %q", code, message)
		}
	}
}

// TestAddressSpaceIsNamed where it is what memory was refused for.
func TestAddressSpaceIsNamed(t *testing.T) {
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &before); err != nil || before.Cur < 1<<50 {
		t.Skip("the address space is limited already")
	}
	if advice := addressSpace(); advice != "" {
		t.Errorf("without a limit: %q", advice)
	}
	limited := before
	limited.Cur = 1 << 50
	if err := unix.Setrlimit(unix.RLIMIT_AS, &limited); err != nil {
		t.Skip(err)
	}
	defer unix.Setrlimit(unix.RLIMIT_AS, &before)
	if _, message := Outcome(syscall.ENOMEM, nil); !strings.Contains(message, "the address space is limited to ") {
		t.Error(message)
	}
}

// TestConfigurationErrorsHaveAStatusOfTheirOwn: a supervisor need not start the consumer again.
func TestConfigurationErrorsHaveAStatusOfTheirOwn(t *testing.T) {
	address, _ := consumerCluster(t, t.Context())
	for _, wrong := range [][]string{{"--from", "missing"}, {"--rejects-to", "missing"}} {
		c := consumerConfig(t, address, filepath.Join(t.TempDir(), "index"), append(wrong, "--memory", "exact"))
		err := runKafka(t.Context(), c, files.Streams{Err: os.Stderr})
		code, message := Outcome(err, nil)
		if code != ExitConfig || !strings.Contains(message, "there is no topic missing: create it first") {
			t.Errorf("%v: %d, %s", wrong, code, message)
		}
	}
}

// TestOneSignalMayComeTwice: from a supervisor and from a terminal, say. The second one would end
// this test if it were another one.
func TestOneSignalMayComeTwice(t *testing.T) {
	ctx, stop := signalContext()
	seen := make(chan os.Signal, 2)
	signal.Notify(seen, syscall.SIGTERM)
	defer stop()
	for range 2 {
		if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		<-seen
		<-ctx.Done()
	}
	signal.Stop(seen)
	if cause := context.Cause(ctx); !errors.As(cause, new(run.SignalError)) {
		t.Error(cause)
	}
}

// TestCheckOfAConsumer: it says whether everything fits, and neither consumes nor creates anything.
func TestCheckOfAConsumer(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	address, cluster := consumerCluster(t, ctx)
	dir := t.TempDir()
	index := filepath.Join(dir, "index")
	for _, text := range []string{"one", "two", "one"} {
		record := kgo.StringRecord(`{"text":"` + text + `"}`)
		record.Topic = "from"
		if err := cluster.Write(ctx, record); err != nil {
			t.Fatal(err)
		}
	}
	check := func(index string, args ...string) (int, string) {
		t.Helper()
		out, err := os.Create(filepath.Join(dir, "out"))
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		c := consumerConfig(t, address, index, append([]string{"--check", "--memory", "exact"}, args...))
		code, message := Outcome(runKafka(ctx, c, files.Streams{Out: files.StdoutOf(out), Err: os.Stderr}), nil)
		said, err := os.ReadFile(out.Name())
		if err != nil {
			t.Fatal(err)
		}
		return code, string(said) + message
	}
	expect := func(code int, said string, want int, parts ...string) {
		t.Helper()
		for _, part := range parts {
			if code != want || !strings.Contains(said, part) {
				t.Errorf("%d, %s, want %d and %q", code, said, want, part)
			}
		}
	}
	code, said := check(index)
	expect(code, said, ExitOK, "everything fits: group g is 3 records behind the end of topic from (1 partition)",
		"will be created")
	if _, err := os.Stat(index); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the index was created: %v", err)
	}
	code, said = check(index, "--rejects-to", "missing")
	expect(code, said, ExitConfig, "there is no topic missing")

	consuming, stop := context.WithCancelCause(ctx)
	ended, told := make(chan error), errors.New("told to stop")
	c := consumerConfig(t, address, index, []string{"--memory", "exact"})
	go func() { ended <- runKafka(consuming, c, files.Streams{Err: os.Stderr}) }()
	compareRemoved(t, ctx, cluster, "[{original from/0:0} {similarity 1}]\n")
	code, said = check(index)
	expect(code, said, ExitFailed, "another program is writing to it")
	stop(told)
	<-ended
	code, said = check(index)
	expect(code, said, ExitOK, "group g is 0 records behind", "is the group's, with 3 records")
	code, said = check(index + "-mistyped")
	expect(code, said, ExitConfig, "knows nothing of group g", "--new-index")
	code, said = check(index+"-mistyped", "--new-index")
	expect(code, said, ExitOK, "will be created")
	code, said = check(index, "--threshold", "0.7")
	expect(code, said, ExitConfig, "threshold")
}
