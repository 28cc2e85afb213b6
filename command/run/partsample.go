package run

import (
	"context"
	"errors"

	"github.com/mithril-stream/mithril-stream/command/files"
	"github.com/mithril-stream/mithril-stream/memory/overlap"
	"github.com/mithril-stream/mithril-stream/stream"
)

// sampledRecords are how many records say how many parts the others have.
const sampledRecords = 1000

// partsPerRecord is how many parts the first records of the first input have, if it is a file that
// can be read again; else what is usual for texts of 2 KB.
func (f *Run) partsPerRecord(ctx context.Context) (float64, error) {
	p, err := f.Config.PartParams()
	if err != nil {
		return 0, err
	}
	usual := float64(p.PartsPerRecord())
	info, err := files.Stat(f.Paths[0], f.Std.In)
	if err != nil || !info.Mode().IsRegular() || f.Paths[0] == "-" {
		return usual, nil
	}
	sample := &partSample{}
	opts := stream.Options{
		Source: stream.Source{Inputs: f.Opts.Inputs[:1], Format: f.Opts.Format, MaxRecord: f.Opts.MaxRecord},
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
	return float64(sample.parts) / float64(sample.records), nil
}

// A partSample is a judge that counts parts, until it has seen enough.
type partSample struct{ records, parts int }

var errSampled = errors.New("enough records have been counted")

func (s *partSample) Judge(b stream.Batch, out []stream.Verdict) (int, error) {
	for i := range out {
		if s.records == sampledRecords {
			return i, errSampled
		}
		out[i] = stream.Verdict{}
		s.records++
		s.parts += overlap.Parts(b.Sketch(i))
	}
	return len(out), nil
}
