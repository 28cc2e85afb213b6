package run

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/stream"
)

// Sketches that an earlier step has removed are skipped: their reader leaves their keys out, and
// the judge of the others never hears of them.

// skipEarlier skips the records that a file of flags marks as removed.
func (s *Source) skipEarlier(ctx context.Context, c *config.Filter) error {
	name := c.Input.FlagsIn
	flags, err := openFlags(ctx, name, s.Std)
	if err != nil {
		return err
	}
	s.files.again = s.files.again && areRegular(name)
	isFresh := true
	for i := range s.Stream.Inputs {
		in, first, last := &s.Stream.Inputs[i], i == 0, i == len(s.Stream.Inputs)-1
		open := in.OpenRecords
		in.OpenRecords = func() (stream.RecordReader, error) {
			if first && !isFresh {
				if flags, err = openFlags(ctx, name, s.Std); err != nil {
					return nil, err
				}
			}
			isFresh = false
			records, err := open()
			return &flaggedRecords{records, flags, last}, err
		}
	}
	return nil
}

// contentsOfFlags identifies the flags of an earlier step by all of them: flags of the same records
// have the same length and often the same beginning.
func contentsOfFlags(name string, std files.Streams) (string, error) {
	if !areRegular(name) {
		return "", usage.Error(fmt.Errorf("--flags-in %s is not a file: with --index a repeated run is recognized by "+
			"its files", files.InputName(name)))
	}
	src, err := std.OpenRaw(name)
	if err != nil {
		return "", err
	}
	h := xxh3.New()
	if _, err = io.Copy(h, src); err != nil {
		err = fmt.Errorf("read %s: %w", name, err)
	}
	return fmt.Sprintf("flags %016x", h.Sum64()), errors.Join(err, src.Close())
}

// flaggedRecords are the records of an input with their flags. A record with flag 0 loses its keys
// and its problem.
type flaggedRecords struct {
	stream.RecordReader
	flags  *flagReader
	isLast bool // no flags follow these records
}

// ReadRecords reads the next records.
func (r *flaggedRecords) ReadRecords(ctx context.Context, to *stream.Records) error {
	from := len(to.List)
	failed := r.RecordReader.ReadRecords(ctx, to)
	for i := from; i < len(to.List); i++ {
		keep, err := r.flags.next()
		if err != nil {
			to.List = to.List[:i]
			return record.Fatal(err)
		}
		if !keep {
			to.List[i] = stream.Record{}
		}
	}
	if failed == io.EOF && r.isLast {
		if err := r.flags.end(); err != nil {
			return record.Fatal(err)
		}
	}
	return failed
}

// Skip passes over the records of an earlier run, and their flags.
func (r *flaggedRecords) Skip(at stream.Position) error {
	for range at.Records {
		if _, err := r.flags.next(); err != nil {
			return err
		}
	}
	return r.RecordReader.Skip(at)
}

// leavingOut returns a judge that passes the records that an earlier step has kept to j. It removes
// the others, which have neither a sketch nor a problem.
func leavingOut(judge stream.Judge) stream.Judge {
	decide := judge.Decide
	judge.Decide = func(b stream.Batch, out []stream.Verdict) (int, error) { return judgeLeft(decide, b, out) }
	return judge
}

func judgeLeft(
	judge func(stream.Batch, []stream.Verdict) (int, error), b stream.Batch, out []stream.Verdict,
) (judged int, err error) {
	left := b
	left.Ends, left.Problems, left.Hashes = nil, nil, nil
	var at []int // of the remaining records
	for i, problem := range b.Problems {
		if problem != (record.Problem{}) || len(b.Sketch(i)) > 0 {
			left.Ends, left.Problems = append(left.Ends, b.Ends[i]), append(left.Problems, problem)
			if b.Hashes != nil {
				left.Hashes = append(left.Hashes, b.Hashes[i])
			}
			at = append(at, i)
		} else {
			out[i] = stream.Verdict{Duplicate: true}
		}
	}
	if len(at) == len(out) {
		return judge(b, out)
	}
	verdicts := make([]stream.Verdict, len(at))
	judged, err = judge(left, verdicts)
	for i, verdict := range verdicts[:judged] {
		out[at[i]] = verdict
	}
	if judged < len(at) {
		return at[judged], err
	}
	return len(out), err
}

// eachKey reads the keys of sketch files before the run does, or is nil if they can be read once
// only.
func (s *Source) eachKey(ctx context.Context) func(do func(keys []stream.Key) error) error {
	if !s.files.again {
		return nil
	}
	return func(do func(keys []stream.Key) error) error {
		var records stream.Records
		var words []uint64
		for _, in := range s.Stream.Inputs {
			src, err := in.OpenRecords()
			if err != nil {
				return err
			}
			for err == nil {
				records.List, records.Sketches, words = records.List[:0], records.Sketches[:0], words[:0]
				err = src.ReadRecords(ctx, &records)
				for _, r := range records.List {
					words = append(words, records.Sketches[r.Sketch.Start:r.Sketch.End]...)
				}
				if failed := errors.Join(do(stream.KeysOf(words)), context.Cause(ctx)); failed != nil {
					err = failed
				}
			}
			if err == io.EOF {
				err = nil
			}
			if err = errors.Join(err, src.Close()); err != nil {
				return fmt.Errorf("read %s: %w", in.Name, err)
			}
		}
		return nil
	}
}
