// Package command runs what the command line asks for. It passes the configuration to the packages
// that do the work, opens and closes files, and reports.
package command

import (
	"context"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/charset"
	"github.com/mithril-stream/mithril-stream/internal/collector"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/groups"
	"github.com/mithril-stream/mithril-stream/internal/command/index"
	"github.com/mithril-stream/mithril-stream/internal/command/judge"
	"github.com/mithril-stream/mithril-stream/internal/command/run"
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
	"github.com/mithril-stream/mithril-stream/internal/object"
	"github.com/mithril-stream/mithril-stream/internal/shown"
)

// Run does what cmd says. Outcome turns its result into an exit code.
func Run(ctx context.Context, cmd config.Command, std files.Streams) error {
	if c, ok := cmd.(*config.Kafka); ok {
		// Messages become garbage a moment after they were read. Collecting it now and then costs
		// less than collecting it often.
		return runKafka(ctx, c, std)
	}
	if _, isFilter := cmd.(*config.Filter); isFilter {
		collector.Filter.KeepReserveSmall()
	} else {
		collector.Other.KeepReserveSmall()
	}
	if c := cmd.Reads(); c != nil {
		std = readingRecords(ctx, std, c)
	}
	switch c := cmd.(type) {
	case *config.Filter:
		return run.Filter(ctx, c, taskFor(c), std)
	case *config.Apply:
		return runApply(ctx, c, std)
	case *config.Audit:
		return runAudit(ctx, c, std)
	case *config.Eval:
		return runEval(ctx, c, std)
	case *config.Groups:
		std.Selection.Match = func(path string) bool {
			return c.Filter.Input.Records.Reads(path) || groups.IsCalledSketch(path)
		}
		return groups.Run(ctx, c, std)
	case *config.Templates:
		return runTemplates(ctx, c, std)
	case *config.Pairs:
		return runPairs(ctx, c, std)
	case *config.Sign:
		return runSign(ctx, c, std)
	case *config.IDF:
		return runIDF(ctx, c, std)
	case *config.Near:
		return run.OnIndex(std, c.Index, c.Cache, false, func(dir string) error {
			local := *c
			local.Index = dir
			return near(ctx, &local, std)
		})
	case *config.Judge:
		return runJudge(ctx, c, std)
	case *config.Substr:
		return runSubstr(ctx, c, std)
	case *config.Boilerplate:
		return runBoilerplate(ctx, c, std)
	case *config.Plan:
		return plan(ctx, c, std)
	case *config.Version:
		return printVersion(c, std.Out.Said())
	}
	return index.Run(ctx, cmd, std, func(remote config.RemoteFlags) files.Streams {
		return reading(ctx, std, false, 0, remote)
	})
}

// runJudge judges texts by the rules of the index that it continues.
func runJudge(ctx context.Context, c *config.Judge, std files.Streams) error {
	memory := c.Filter.Memory
	if err := run.InDirectories("judge", append(memory.Against, memory.Index)...); err != nil {
		return err
	}
	local := *c
	local.Filter = c.Filter.AsStored(identity.AsStored(c.Filter.Method, memory.Indexes()...))
	return judge.Run(ctx, &local, std)
}

// reading returns the streams with options for reading inputs.
func reading(
	ctx context.Context, std files.Streams, quiet bool, maxWindow int64, remote config.RemoteFlags,
) files.Streams {
	from := object.Options{Endpoint: remote.S3Endpoint, Region: remote.S3Region}
	if !quiet {
		from.Waiting = func(why error) {
			shown.Notice(std.Err, "a request to a server failed: %v; trying again", why)
		}
	}
	return std.Reading(ctx, maxWindow, from)
}

// readingRecords returns the streams with options for reading the records of a run.
func readingRecords(ctx context.Context, std files.Streams, c *config.Filter) files.Streams {
	std = reading(ctx, std, c.Output.Quiet, c.Input.MaxWindow, c.Input.Remote)
	std.Text, _ = charset.NewDecoding(c.Input.Records.Encoding, c.Input.Records.Replace) // which has been checked
	std.Selection = &files.Selection{All: c.Input.Records.AllFiles}
	if !c.Input.Sketches {
		std.Selection.Match = c.Input.Records.Reads
	}
	return std
}

// taskFor returns the task of a run.
func taskFor(c *config.Filter) run.Task {
	if c.Contaminate != nil {
		return &contamination{}
	}
	return run.TaskOf(c)
}
