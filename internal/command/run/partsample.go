package run

import (
	"context"
	"errors"

	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/memory/overlap"
	"github.com/mithril-stream/mithril-stream/stream"
)

// sampledRecords are how many records say how many parts the others have.
const sampledRecords = 1000

// partsPerRecord is how many parts records from random places of the inputs have: many a file
// begins with records of one source. If these cannot be drawn it is how many the first records of
// the first input have, if it is a file that can be read again; else what is usual for texts of 2
// KB.
func (f *Run) partsPerRecord(ctx context.Context) (float64, error) {
	usual, err := f.Config.Rule.Parts.Usual()
	if err != nil || len(f.Opts.Inputs) == 0 { // records come from another program
		return usual, err
	}
	inputs, sample := f.Opts.Inputs[:1], &partSample{}
	if drawn, ok := f.Source.Draw(sampledRecords); ok {
		inputs, sample.weights = []stream.Input{drawn.Input}, drawn.Weights
	} else if info, err := files.Stat(f.Paths[0], f.Std.In); err != nil || !info.Mode().IsRegular() ||
		f.Paths[0] == "-" {
		return usual, nil
	}
	opts := stream.Options{
		Source: stream.Source{Inputs: inputs, Format: f.Opts.Format, MaxRecord: f.Opts.MaxRecord},
		Method: stream.Method{NewSketcher: f.Opts.Method.NewSketcher, Judge: sample}, Threads: 1,
	}
	run, err := stream.New(opts)
	if err != nil {
		return 0, err
	}
	// What else is wrong with the input comes out when it is read for good.
	if _, err := run.Do(ctx); !errors.Is(err, errSampled) && ctx.Err() != nil {
		return 0, err
	}
	if sample.records == 0 {
		return usual, nil
	}
	return sample.parts / sample.records, nil
}

// A partSample is a judge that counts parts, until it has seen enough.
type partSample struct {
	weights        []float64 // of the records; nil if all are the same
	seen           int
	records, parts float64 // by their weights
}

var errSampled = errors.New("enough records have been counted")

func (s *partSample) Judge(b stream.Batch, out []stream.Verdict) (int, error) {
	for i := range out {
		if s.seen == sampledRecords {
			return i, errSampled
		}
		out[i] = stream.Verdict{}
		weight := 1.
		if s.weights != nil {
			weight = s.weights[s.seen]
		}
		s.seen++
		s.records += weight
		s.parts += weight * float64(overlap.Parts(b.Sketch(i)))
	}
	return len(out), nil
}
