package run

import (
	"context"
	"errors"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/memory/overlap"
	"github.com/mithril-stream/mithril-stream/stream"
)

// sampledRecords is the number of records from which the number of parts per record is estimated.
const sampledRecords = 1000

// partsPerRecord estimates the number of parts per record from records at random places of the
// inputs, since many files begin with records of one source. If these cannot be drawn it uses the
// first records of the first input, if that is a file that can be read again; else the usual number
// for texts of 2 KB.
func (s *Source) partsPerRecord(ctx context.Context, c *config.Filter) (float64, error) {
	usual, err := c.Rule.Parts.Usual()
	if err != nil || len(s.Stream.Inputs) == 0 { // records come from another program
		return usual, err
	}
	inputs, sample := s.Stream.Inputs[:1], &partSample{}
	if drawn, ok := s.Draw(sampledRecords); ok {
		inputs, sample.weights = []stream.Input{drawn.Input}, drawn.Weights
	} else if info, err := files.Stat(s.Paths[0], s.Std.In); err != nil || !info.Mode().IsRegular() ||
		s.Paths[0] == "-" {
		return usual, nil
	}
	run, err := stream.New(stream.Options{
		Source: stream.Source{Inputs: inputs, Format: s.Stream.Format, MaxRecord: s.Stream.MaxRecord},
		Method: stream.Method{NewSketcher: s.New, Judge: stream.ByRecord(nil, sample.judge)}, Threads: 1,
	})
	if err != nil {
		return 0, err
	}
	// Other errors of the input will be reported when it is read for real.
	if _, err := run.Do(ctx); !errors.Is(err, errSampled) && ctx.Err() != nil {
		return 0, err
	}
	if sample.records == 0 {
		return usual, nil
	}
	return sample.parts / sample.records, nil
}

// A partSample is a judge that counts parts until it has seen enough.
type partSample struct {
	weights        []float64 // of the records; nil if all are the same
	seen           int
	records, parts float64 // by their weights
}

var errSampled = errors.New("enough records have been counted")

func (s *partSample) judge(b stream.Batch, i int) (v stream.Verdict, err error) {
	if s.seen == sampledRecords {
		return v, errSampled
	}
	weight := 1.
	if s.weights != nil {
		weight = s.weights[s.seen]
	}
	s.seen++
	s.records += weight
	s.parts += weight * float64(overlap.Parts(b.Sketch(i)))
	return v, nil
}
