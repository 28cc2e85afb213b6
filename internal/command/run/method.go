package run

import (
	"context"
	"fmt"
	"time"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/method"
	"github.com/mithril-stream/mithril-stream/internal/method/filters"
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
	"github.com/mithril-stream/mithril-stream/internal/object"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A Method says how the records of a source are judged, and what else happens to them. A task makes
// one for its run.
type Method struct {
	Stream   stream.Method
	Inputs   []stream.Input   // read in place of those of the source; nil: these
	Keys     identity.KeyKind // of the sketches
	Detector *method.Detector // the memory; nil if records are not compared with one
	Needs    Needs
	Sinks    []stream.Sink   // are told of every record
	Repeat   stream.Repeat   // says how often a kept record is written; may be nil
	Members  *stream.Members // added to kept records; may be nil
	Editing  stream.Editing  // of kept records; the zero value leaves them as they came
	Parts    *PartEditing    // of records with pieces that were seen; may be nil
	Calls    Calls
	Found    *Found // what a page shows; nil for what was removed
}

// Calls are functions that a run calls beside the judge. Each may be nil.
type Calls struct {
	Open    func(*Outputs) error        // when the outputs are open, before the first record
	End     func(*Outputs) error        // after the last record, before files are finished
	Summary func(s stream.Stats) string // what was found, in place of how many are kept
	// Counted completes the counts of a run that reads all records twice with those of the first
	// pass; elapsed is the time of both.
	Counted func(s stream.Stats) (all stream.Stats, groups uint64, elapsed time.Duration)
}

// memory returns the memory of the method, which is empty if nothing is compared.
func (m *Method) memory() *method.Detector {
	if m == nil || m.Detector == nil {
		return &method.Detector{}
	}
	return m.Detector
}

// Store returns the index that a run is committed to, or nil if it keeps none.
func (m *Method) Store() *index.Writer { return m.memory().Store() }

// Close closes the memory.
func (m *Method) Close() error { return m.memory().Close() }

// OpenMethod opens the memory with which a filter compares the records of a source.
func OpenMethod(ctx context.Context, c *config.Filter, from *Source) (*Method, error) {
	if from.Keys.Words > 0 {
		return nil, fmt.Errorf("%s has signatures, for groups, and bands that find candidates: sketch without "+
			"--signatures for dedup", object.Name(from.Paths[0]))
	}
	if err := from.CheckFields("--id", c.Input.ID); err != nil {
		return nil, err
	}
	begun, err := method.For(c.Method).Open(method.Opening{
		Method: c.Method, Keys: from.Keys, Cores: CoresOf(from.Std, from.Faults.Threads),
		Format: from.Stream.Format, ID: c.Input.ID,
		FormatName: from.Name, Separator: from.Separator,
		Records:        func() uint64 { return from.files.records + from.Estimate(ctx) },
		EachKey:        from.eachKey(ctx),
		PartsPerRecord: func() (float64, error) { return from.partsPerRecord(ctx, c) },
	})
	if err != nil {
		return nil, err
	}
	m := &Method{
		Stream: stream.Method{NewSketcher: from.New, Judge: begun.Judge}, Keys: from.Keys, Detector: begun,
	}
	if c.Input.FlagsIn != "" {
		m.Stream.Judge = leavingOut(begun.Judge)
	}
	if begun.HasNames() {
		m.Needs.SinkData.ID = c.Input.ID
	}
	return m, nil
}

// CoresOf returns the processors that an index may use besides the goroutines that sketch.
func CoresOf(std files.Streams, threads int) filters.Cores {
	return filters.Cores{Threads: threads, Count: std.Cores.Count(), Wide: std.Cores.Wide}
}
