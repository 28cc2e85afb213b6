package stream

import (
	"fmt"
	"time"
)

// Checkpoints say when and how a run becomes resumable while it is still running.
type Checkpoints struct {
	Records uint64        // after this many records, or 0
	Every   time.Duration // after this much time in which a record came, or 0
	// Commit makes durable what the index has taken in and what the counts say was written. All
	// output has been handed to the operating system before. The goroutine that calls the index
	// calls Commit.
	Commit func(Stats) error
}

// A checkpointError is a failed commit. Nothing more is written after it, since nobody could tell
// which part of it counts.
type checkpointError struct{ error }

func (e checkpointError) Unwrap() error { return e.error }

// timer says when the next checkpoint is due. A nil *timer is never due.
type timer struct {
	every   uint64
	ticker  *time.Ticker
	last    uint64 // records at the last checkpoint
	ticking <-chan time.Time
}

func newTimer(c *Checkpoints, records uint64) *timer {
	if c == nil {
		return nil
	}
	t := &timer{every: c.Records, last: records}
	if c.Every > 0 {
		t.ticker = time.NewTicker(c.Every)
		t.ticking = t.ticker.C
	}
	return t
}

func (t *timer) stop() {
	if t != nil && t.ticker != nil {
		t.ticker.Stop()
	}
}

func (t *timer) ticks() <-chan time.Time {
	if t == nil {
		return nil
	}
	return t.ticking
}

func (t *timer) due(records uint64) bool {
	if t == nil {
		return false
	}
	select {
	case <-t.ticking:
		return true
	default:
		return t.every > 0 && records-t.last >= t.every
	}
}

// reach makes a checkpoint, unless nothing has changed since the last one or the last record is, or
// may be, incomplete. In that case the next checkpoint, or the end of the run, will do.
func (c *committer) reach() error {
	if err := c.chain.flush(); err != nil {
		return err
	}
	if c.partial.unfinished || c.gate.closed || c.stats.Records == c.checkpoint.last {
		return nil
	}
	if err := c.opts.Checkpoints.Commit(c.stats); err != nil {
		return checkpointError{fmt.Errorf("checkpoint after %s:%d: %w", c.stats.At.Name, c.stats.At.Records, err)}
	}
	c.checkpoint.last = c.stats.Records
	return nil
}

// A ResumeError says why a run cannot continue an earlier one: an input, an output or an option has
// changed.
type ResumeError struct{ error }

// Unwrap returns the underlying error.
func (e *ResumeError) Unwrap() error { return e.error }

// CannotResume is like fmt.Errorf, but returns a *ResumeError.
func CannotResume(format string, args ...any) error {
	return &ResumeError{fmt.Errorf(format, args...)}
}
