package command

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/index"
	"github.com/mithril-stream/mithril-stream/internal/command/run"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/internal/usage"
)

// Exit codes. Any other code except 0 is a failure, too.
const (
	ExitOK         = 0   // all input was read, every unseen record was written (I4)
	ExitFailed     = 1   // something failed: nothing is promised about the rest of the input
	ExitUsage      = 2   // the command line is wrong: nothing was read
	ExitRejects    = 3   // complete, but records are unreadable (with --on-error fail), or in no output or no index
	ExitLost       = 4   // complete, but inputs could not be read to their ends
	ExitCutOff     = 5   // an input ends in the middle of a record, and --on-error is fail or there is no other input
	ExitGate       = 6   // the result is not what --max-duplicates and --max-doubts allow: nothing is put in place
	ExitConfig     = 78  // a consumer cannot work as it, or its cluster, is configured: restarting it does not help
	ExitClosedPipe = 141 // the reader of the output has gone
)

// sameSignal is the time in which a second signal counts as the first: a supervisor, a terminal and
// a wrapper may each send one.
const sameSignal = time.Second

// signalContext returns a context that SIGINT and SIGTERM end. Another signal after sameSignal
// kills the program at once.
func signalContext() (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		select {
		case s := <-signals:
			cancel(run.SignalError{Signal: s.(syscall.Signal)})
		case <-ctx.Done():
			return
		}
		time.Sleep(sameSignal)
		signal.Reset(syscall.SIGINT, syscall.SIGTERM)
	}()
	return ctx, func() { signal.Stop(signals); cancel(nil) }
}

// Outcome turns the result of a run into an exit code and a message for the user, which is empty if
// there is nothing to say. The message may be written to a terminal. It has no control characters
// except line ends between several errors. args are the arguments of the program.
func Outcome(err error, args []string) (code int, message string) {
	code, message = outcome(err, args)
	if errors.As(err, new(loggedError)) {
		return code, ""
	}
	var left files.UnfinishedError
	if errors.As(err, &left) {
		if message != "" {
			message += "; "
		}
		message += "what was written so far is in " + shown.Text(left.Files)
	}
	return code, run.HideSecrets(message, args)
}

func outcome(err error, args []string) (code int, message string) {
	var rejects run.RejectsError
	var lost run.LostError
	var sig run.SignalError
	switch {
	case err == nil, errors.Is(err, config.ErrStop):
		return ExitOK, ""
	case errors.Is(err, usage.Err):
		return ExitUsage, shown.Error(err) + " (see " + config.Help(args) + ")"
	case errors.As(err, &sig):
		return 128 + int(sig.Signal), shown.Error(err)
	case errors.As(err, new(configurationError)):
		return ExitConfig, shown.Error(err)
	case errors.Is(err, syscall.EPIPE):
		return ExitClosedPipe, ""
	case errors.As(err, new(run.GateError)):
		return ExitGate, shown.Error(err)
	case errors.As(err, &lost):
		return ExitLost, shown.Error(err)
	case errors.As(err, new(run.CutOffError)), errors.Is(err, record.ErrCutOff):
		return ExitCutOff, shown.Error(err)
	case errors.As(err, &rejects), errors.As(err, new(run.NoFormError)), errors.As(err, new(index.MissingError)):
		return ExitRejects, shown.Error(err)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		if errors.As(err, new(run.ResumableError)) {
			return ExitFailed, reportOnce(err) + ": make room, then run the same command with --resume to go on"
		}
		return ExitFailed, reportOnce(err) + ": make room, then run the command again"
	case errors.Is(err, syscall.ENOMEM):
		return ExitFailed, shown.Error(err) + addressSpace()
	}
	return ExitFailed, shown.Error(err)
}

// reportOnce returns the message of a full disk. Several files may report that as the run ends, so
// only the first of them says it.
func reportOnce(err error) string {
	lines := strings.Split(shown.Error(err), "\n")
	said := lines[0]
	for _, line := range lines[1:] {
		full := strings.LastIndex(line, syscall.ENOSPC.Error())
		if full < 0 {
			said += "\n" + line
			continue
		}
		said += line[full+len(syscall.ENOSPC.Error()):] // the rest, such as where the output is
	}
	return said
}
