// Package command runs what the command line asked for: it hands the configuration to the packages
// that do the work, opens and closes files, and reports.
package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/stream/object"
)

// Streams are what the program has from its process: the standard streams, and cores.
type Streams struct {
	In, Out, Err *os.File
	Cores        *cores
	Args         []string // the command line, for a report

	// bytes of the window of a compressed input; 0 for the default
	maxWindow int64
	objects   *object.Client // reads what is on other machines
	// of --field auto, by the first input: what is read several times is looked at once
	fieldsFound map[string]string
	first       *stdin // In, if its first bytes may be looked at before they are read; else nil
}

// reader is standard input as it is to be read.
func (s Streams) reader() io.ReadCloser {
	if s.first != nil {
		return s.first
	}
	return s.In
}

// StandardStreams are those of the process. A pipe that we read from is made larger at once, so
// that its writer has something to do while we prepare.
func StandardStreams() Streams {
	widen(os.Stdin)
	return Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Cores: allCores(), Args: os.Args}
}

// reading says how inputs are read.
func (s Streams) reading(ctx context.Context, maxWindow int64, remote config.RemoteFlags) Streams {
	s.maxWindow, s.fieldsFound = maxWindow, map[string]string{}
	s.objects = object.NewClient(ctx, object.Options{Endpoint: remote.S3Endpoint, Region: remote.S3Region})
	return s
}

// threads is how many goroutines do a piece of work: what the user has asked for, or one a core.
func (s Streams) threads(asked int) int {
	if asked > 0 {
		return asked
	}
	return s.Cores.count()
}

// Run does what cmd says. Outcome turns what it returns into an exit code.
func Run(ctx context.Context, cmd config.Command, std Streams) error {
	if c, ok := cmd.(*config.Kafka); ok {
		if err := inDirectories("kafka", append(c.Filter.Index.Against, c.Filter.Index.Index)...); err != nil {
			return err
		}
		// Messages are garbage a moment after they were read: collecting it every now and then
		// costs less than often.
		return runKafka(ctx, c, std)
	}
	keepReserveSmall()
	switch c := cmd.(type) {
	case *config.Filter:
		std = std.reading(ctx, c.MaxWindow, c.Remote)
		return runFilter(ctx, c, std)
	case *config.Audit:
		std = std.reading(ctx, c.Filter.MaxWindow, c.Filter.Remote)
		return runAudit(ctx, c, std)
	case *config.Eval:
		std = std.reading(ctx, c.Filter.MaxWindow, c.Filter.Remote)
		return runEval(ctx, c, std)
	case *config.Groups:
		std = std.reading(ctx, c.Filter.MaxWindow, c.Filter.Remote)
		return runGroups(ctx, c, std)
	case *config.IDF:
		std = std.reading(ctx, c.Filter.MaxWindow, c.Filter.Remote)
		return runIDF(ctx, c, std)
	case *config.Near:
		std = std.reading(ctx, 0, c.RemoteFlags)
		return std.onIndex(c.Index, c.CacheFlags, false, func(dir string) error {
			local := *c
			local.Index = dir
			return near(ctx, &local, std)
		})
	case *config.Judge:
		if err := inDirectories("judge", append(c.Filter.Index.Against, c.Filter.Index.Index)...); err != nil {
			return err
		}
		return runJudge(ctx, c, std)
	case *config.Substr:
		std = std.reading(ctx, int64(c.MaxWindow), c.RemoteFlags)
		return runSubstr(ctx, c, std)
	case *config.Plan:
		return plan(c, std.Out)
	}
	return runOnIndex(ctx, cmd, std)
}

// runOnIndex runs a command about an index.
func runOnIndex(ctx context.Context, cmd config.Command, std Streams) error {
	switch c := cmd.(type) {
	case *config.Inspect:
		return std.reading(ctx, 0, c.RemoteFlags).onIndex(c.Dir, c.CacheFlags, false, func(dir string) error {
			return inspect(dir, c.JSON, std.Out)
		})
	case *config.Verify:
		return std.reading(ctx, 0, c.RemoteFlags).onIndex(c.Dir, c.CacheFlags, false, func(dir string) error {
			return verify(dir, c.Dir, std.Out)
		})
	case *config.Compact:
		return std.reading(ctx, 0, c.RemoteFlags).onIndex(c.Dir, c.CacheFlags, true, bloomlsh.Compact)
	case *config.Merge:
		return mergeFrom(c, std.reading(ctx, 0, c.RemoteFlags))
	case *config.Unlock:
		return unlock(c, std.reading(ctx, 0, c.RemoteFlags))
	case *config.Settle:
		if err := inDirectories("index settle", c.Dir); err != nil {
			return err
		}
		return settle(c, std.Out)
	}
	return fmt.Errorf("internal error: no such command %T", cmd)
}

// keepReserveSmall has the collector leave less room for garbage from its first collection on. In
// steady state nothing is allocated, and the index is not on the heap: a small reserve costs
// nothing and keeps the memory that a few long records take near their size. The first collection
// comes when the heap has 8 MB, which short records never fill: before, it would only cost time at
// the start.
func keepReserveSmall() {
	debug.SetGCPercent(200)          // of 4 MB
	type collected struct{ _ *byte } // not one of the tiny objects, which share memory and so live on
	runtime.AddCleanup(new(collected), func(percent int) { debug.SetGCPercent(percent) }, 20)
}

// Version is the version of the module that the program was built from.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
