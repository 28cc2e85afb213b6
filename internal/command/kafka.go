package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"strings"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/formats"
	"github.com/mithril-stream/mithril-stream/internal/command/run"
	"github.com/mithril-stream/mithril-stream/internal/kafka"
	"github.com/mithril-stream/mithril-stream/internal/method"
	"github.com/mithril-stream/mithril-stream/internal/method/exact"
	"github.com/mithril-stream/mithril-stream/internal/method/filters"
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/stream"
)

// passwordVariable is the environment variable with the password, unless that is in a file. A flag
// would show it to everyone who can list processes.
const passwordVariable = "MITHRIL_STREAM_SASL_PASSWORD"

func runKafka(ctx context.Context, c *config.Kafka, std files.Streams) error {
	memory := c.Filter.Memory
	if err := run.InDirectories("kafka", append(memory.Against, memory.Index)...); err != nil {
		return err
	}
	local := *c
	local.Filter = c.Filter.AsStored(identity.AsStored(c.Filter.Method, memory.Indexes()...))
	err := consume(ctx, &local, std)
	if kafka.IsConfiguration(err) {
		err = configurationError{err}
	}
	if c.Service.LogFormat != "json" || err == nil {
		return err
	}
	return logged(err, newLog(c.Service, std.Err), std.Args)
}

// A configurationError is an error that persists until the configuration of the consumer or of its
// cluster is changed.
type configurationError struct{ error }

// Unwrap returns the underlying error.
func (e configurationError) Unwrap() error { return e.error }

// A loggedError is an error that is already in the log, so nothing more is written about it.
type loggedError struct{ error }

// Unwrap returns the underlying error.
func (e loggedError) Unwrap() error { return e.error }

// logged writes the end of a consumer to its log, as the last line.
func logged(err error, log *slog.Logger, args []string) error {
	code, message := Outcome(err, args[1:])
	level := slog.LevelError
	if errors.As(err, new(run.SignalError)) {
		level = slog.LevelInfo
	}
	log.Log(context.Background(), level, message, "exit_code", code)
	return loggedError{err}
}

func consume(ctx context.Context, c *config.Kafka, std files.Streams) error {
	opts, err := kafkaOptions(c, std)
	if err != nil {
		return err
	}
	if c.Service.Check {
		return checkKafka(ctx, opts, std)
	}
	if c.Service.Listen == "" {
		return kafka.Run(ctx, opts)
	}
	address, err := listenAddress(c.Service.Listen)
	if err != nil {
		return usage.Error(err)
	}
	server, err := kafka.Serve(address, opts.Metrics, opts.Log)
	if err != nil {
		return err
	}
	opts.Log.Info("listening", "address", server.Address())
	return errors.Join(kafka.Run(ctx, opts), server.Close())
}

// checkKafka says whether the consumer could run.
func checkKafka(ctx context.Context, opts kafka.Options, std files.Streams) error {
	fit, err := kafka.Check(ctx, opts)
	if err != nil {
		return err
	}
	return shown.Line(std.Out.Said(), "everything fits: group %s is %s behind the end of topic %s (%s); "+
		"the index %s %s", opts.Group, units.Of(uint64(fit.Behind), "record"), opts.From,
		units.Of(uint64(fit.Partitions), "partition"), opts.IndexName, fit.Index)
}

// kafkaOptions returns the options of a consumer. It finds everything wrong that can be found
// without asking the brokers.
func kafkaOptions(c *config.Kafka, std files.Streams) (opts kafka.Options, err error) {
	t := c.Topics
	dir := c.Filter.Memory.Index
	opts = kafka.Options{
		Cluster: kafka.Cluster{Brokers: t.Brokers, Group: t.Group, InstanceID: t.GroupInstanceID},
		Topics: kafka.Topics{
			From: t.From, To: t.To, Duplicates: t.DuplicatesTo, Rejects: t.RejectsTo, Counts: t.CountsTo,
		},
		Produced: kafka.Produced{
			PartitionBy: t.PartitionBy, VerdictHeader: t.VerdictHeader, Compression: t.Compression,
			OriginalHeader: c.OriginalHeader, SimilarityHeader: c.SimilarityHeader,
		},
		CommitInterval: t.CommitInterval,
		Log:            newLog(c.Service, std.Err), Metrics: kafka.NewMetrics(t.Group, t.From, files.Version()),
		Opening: kafka.Opening{
			IndexName: dir, NewIndex: c.NewIndex, IndexExists: func() (bool, error) { return indexExists(dir) },
			Adopt: adopt(dir),
		},
	}
	var keys identity.KeyKind
	opts.Stream, keys, err = messageOptions(&c.Filter, std)
	if c.Confluent {
		opts.Stream.Format = record.Confluent(opts.Stream.Format)
	}
	if err != nil {
		return opts, usage.Error(err)
	}
	if !exact.KnowsTimes(c.Filter.Method) { // it has generations, as filters have
		if err := filters.Params(c.Filter.Memory, keys).Validate(); err != nil {
			return opts, usage.Error(err)
		}
	}
	opts.OpenIndex = func(decide bloomlsh.Decide) (kafka.Index, error) {
		if c.Filter.Memory.Kind == spec.MemoryExact {
			return openExactConsumer(c.Filter.Method, keys, decide)
		}
		return openFilters(c, std, keys, opts.Stream.Threads, decide)
	}
	password, err := saslPassword(c.Security)
	if err != nil {
		return opts, err
	}
	opts.TLS, opts.SASL, err = kafka.Security{
		TLS: c.Security.TLS, CA: c.Security.TLSCA, Cert: c.Security.TLSCert, Key: c.Security.TLSKey,
		Mechanism: c.Security.SASL, Username: c.Security.SASLUsername, Password: password,
		TokenFile: c.Security.SASLTokenFile, TokenURL: c.Security.SASLTokenURL, Scopes: c.Security.SASLScope,
	}.Build()
	if err == nil && opts.SASL != nil && opts.TLS == nil {
		opts.Log.Warn("the password or token is sent over connections that are not encrypted: use --tls " +
			"unless they are all local")
	}
	return opts, err
}

// indexExists reports whether a directory has anything in it.
func indexExists(dir string) (bool, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return len(entries) > 0, err
}

// openExactConsumer opens the exact memory of a consumer, or creates it.
func openExactConsumer(m spec.Method, keys identity.KeyKind, decide bloomlsh.Decide) (kafka.Index, error) {
	x, err := method.OpenExactConsumer(m, keys, decide)
	if err != nil {
		return kafka.Index{}, err
	}
	of := kafka.Index{Store: x, Judge: x.Judge(), Named: x, Name: x.Name}
	if m.Memory.Counting != nil {
		of.EachGrown = x.EachGrown()
	}
	return of, nil
}

// openFilters opens the Bloom filters of a consumer, or creates them.
func openFilters(
	c *config.Kafka, std files.Streams, keys identity.KeyKind, threads int, decide bloomlsh.Decide,
) (kafka.Index, error) {
	j, err := method.For(c.Filter.Method).Open(method.Opening{
		Method: c.Filter.Method, Keys: keys, Cores: run.CoresOf(std, threads), Decide: decide,
		Records: filters.Endless, PartsPerRecord: c.Filter.Rule.Parts.Usual,
	})
	if err != nil {
		return kafka.Index{}, err
	}
	return kafka.Index{Store: consumed{j.Filters.Store, j.Filters}, Judge: j.Judge}, nil
}

// messageOptions returns options for reading and sketching messages.
func messageOptions(f *config.Filter, std files.Streams) (opts stream.Options, keys identity.KeyKind, err error) {
	opts.OnError, opts.Empty, opts.Threads = f.Input.OnError, f.Input.Empty, std.Threads(f.Input.Threads)
	if opts.Method.NewSketcher, keys, err = method.SketcherOf(f.Method); err != nil {
		return opts, keys, err
	}
	format, err := formats.FormatOf(run.RequestOf(f, nil))
	if err != nil {
		return opts, keys, err
	}
	opts.Format, opts.MaxRecord = record.Messages(format), f.Input.MaxRecord
	opts.Unreadable, opts.Within = run.UnreadableLimit(f), f.Rule.Within.Field
	if err := record.CheckName(opts.Format, opts.Within); err != nil {
		return opts, keys, usage.Error(fmt.Errorf("--within: %w", err))
	}
	if opts.Times, err = run.TimesOf(opts.Format, f.Memory.Forget); err != nil {
		return opts, keys, usage.Error(err)
	}
	return opts, keys, nil
}

// consumed is the store of a consumer. Closing it also closes the indexes that are asked as well.
type consumed struct {
	*bloomlsh.Store
	seen *filters.Memory
}

func (c consumed) Close() error { return c.seen.Close() }

// adopt lets a consumer continue an index of filter runs if the last one was complete.
func adopt(dir string) func(bloomlsh.Position) error {
	return func(at bloomlsh.Position) error {
		last, err := run.StateOf(at, dir)
		if err == nil && last != nil && !last.Stats.Complete {
			err = fmt.Errorf("%s: its last run stopped after %d records: resume it, or run "+
				"mithril-stream index settle %s", dir, last.Stats.Records, dir)
		}
		return err
	}
}

func saslPassword(s config.SecurityFlags) (string, error) {
	switch {
	case !s.NeedsPassword():
		return "", nil
	case s.SASLPasswordFile != "":
		text, err := os.ReadFile(s.SASLPasswordFile)
		return strings.TrimRight(string(text), "\r\n"), err
	}
	password, ok := os.LookupEnv(passwordVariable)
	if !ok {
		return "", usage.Error(fmt.Errorf("--sasl needs a password: give --sasl-password-file, or set %s",
			passwordVariable))
	}
	return password, nil
}

// listenAddress completes an address. Other machines should not be able to reach the program unless
// its user has said so.
func listenAddress(address string) (string, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "", fmt.Errorf("--listen %s: %w: write something like :9090 or 0.0.0.0:9090", address, err)
	}
	host = cmp.Or(host, "127.0.0.1")
	return net.JoinHostPort(host, port), nil
}

func newLog(s config.ServiceFlags, out *os.File) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(s.LogLevel)) // the command line accepts no others
	options := &slog.HandlerOptions{Level: level}
	if s.LogFormat == "json" {
		options.ReplaceAttr = inSeconds
		return slog.New(slog.NewJSONHandler(out, options))
	}
	return slog.New(slog.NewTextHandler(out, options))
}

// inSeconds turns durations into numbers of seconds, the unit of everything else that counts time.
// The library would write nanoseconds.
func inSeconds(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() == slog.KindDuration {
		a.Value = slog.Float64Value(a.Value.Duration().Seconds())
	}
	return a
}
