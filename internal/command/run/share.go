package run

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/stream"
)

// An inputShare measures which share of all inputs has been read, in bytes of the files on disk. It
// does not know the size of pipes, objects and members of archives.
type inputShare struct {
	paths   []string
	std     files.Streams
	current atomic.Int64 // number of the input being read

	measure sync.Once
	before  []int64 // bytes before each input, and of all of them; nil if a size is unknown
}

// follow wraps the inputs so that the share knows which one is being read.
func (s *inputShare) follow(inputs []stream.Input) {
	for i := range inputs {
		in := &inputs[i]
		if open := in.Open; open != nil {
			in.Open = func() (io.ReadCloser, error) { s.begin(i); return open() }
		}
		if open := in.OpenRecords; open != nil {
			in.OpenRecords = func() (stream.RecordReader, error) { s.begin(i); return open() }
		}
	}
}

func (s *inputShare) begin(i int) {
	if i > 0 {
		s.std.Positions.Forget(s.paths[i-1])
	}
	s.current.Store(int64(i))
}

// read returns the share that has been read, from 0 to 1, if it is known.
func (s *inputShare) read() (share float64, isKnown bool) {
	if s == nil {
		return 0, false
	}
	s.measure.Do(s.measureAll)
	if s.before == nil {
		return 0, false
	}
	i := s.current.Load()
	at := s.before[i] + min(s.std.Positions.Of(s.paths[i]), s.before[i+1]-s.before[i])
	return float64(at) / float64(s.before[len(s.paths)]), true
}

func (s *inputShare) measureAll() {
	before := make([]int64, 1, len(s.paths)+1)
	for i, path := range s.paths {
		info, err := files.Stat(path, s.std.In)
		if err != nil || !info.Mode().IsRegular() {
			return
		}
		before = append(before, before[i]+info.Size())
	}
	if before[len(s.paths)] > 0 {
		s.before = before
	}
}

// A forecast predicts when the inputs will have been read, from the progress since it was made.
type forecast struct {
	begun time.Time
	from  float64 // the share that had been read then: more than 0 if a run is resumed
}

// settled is the share that must have been read before the rest is predicted.
const settled = .01

// parts describes the share that has been read, and how long the rest may take.
func (f *forecast) parts(s *inputShare) []files.Part {
	share, isKnown := s.read()
	if !isKnown {
		return nil
	}
	parts := []files.Part{{Text: fmt.Sprintf("%.0f %% read", 100*share), Rank: 1}}
	if f.begun.IsZero() {
		f.begun, f.from = time.Now(), share
		return parts
	}
	if share-f.from < settled {
		return parts
	}
	left := time.Duration(float64(time.Since(f.begun)) * (1 - share) / (share - f.from))
	if left < time.Second {
		return parts
	}
	return append(parts, files.Part{Text: fmt.Sprintf("about %s left", left.Round(time.Second)), Rank: 2})
}
