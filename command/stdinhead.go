package command

import (
	"bytes"
	"context"

	"github.com/mithril-stream/mithril-stream/files"
	"github.com/mithril-stream/mithril-stream/internal/journal"
)

// startBytes is how much of the beginning of an input nearly always tells it from others.
const startBytes = 256

// headOf describes the first bytes that were read of standard input.
func headOf(s *files.Stdin) *journal.Head {
	return &journal.Head{
		Start: s.Begun()[:min(len(s.Begun()), startBytes)], Bytes: len(s.Begun()), Hash: files.Hash(s.Begun()),
	}
}

// findByHead returns the run of the journal that has read the same first bytes. It waits for bytes
// only as long as they are those of a run, so it holds back no input that is new.
func findByHead(ctx context.Context, s *files.Stdin, j *journal.Journal, digest string) (*journal.Run, error) {
	type result struct {
		run *journal.Run
		err error
	}
	found := make(chan result, 1)
	go func() {
		run, err := findNow(s, j, digest)
		found <- result{run, err}
	}()
	select {
	case r := <-found:
		return r.run, r.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func findNow(s *files.Stdin, j *journal.Journal, digest string) (*journal.Run, error) {
	mayBe := func(run *journal.Run) bool { return beginsLikeRun(s, run) }
	for more := true; more; {
		if j.Find(digest, mayBe) == nil {
			return nil, nil
		}
		var err error
		if more, err = s.More(); err != nil {
			return nil, err
		}
	}
	head := headOf(s)
	return j.Find(digest, func(run *journal.Run) bool {
		return run.Head != nil && run.Head.Bytes == head.Bytes && run.Head.Hash == head.Hash
	}), nil
}

// beginsLikeRun reports whether a run may have read what has come so far.
func beginsLikeRun(s *files.Stdin, run *journal.Run) bool {
	if run.Head == nil || len(s.Begun()) > run.Head.Bytes {
		return false
	}
	n := min(len(s.Begun()), len(run.Head.Start))
	return bytes.Equal(s.Begun()[:n], run.Head.Start[:n])
}
