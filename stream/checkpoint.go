package stream

import (
	"fmt"
	"time"
)

// Checkpoints say when and how a run becomes resumable while it works.
type Checkpoints struct {
	Records uint64        // after this many records, or 0
	Every   time.Duration // after this much time in which a record came, or 0
	// Commit makes durable what the index has taken in and what the counts say was written. It is
	// called by the goroutine that calls the index, after all output was handed to the operating
	// system.
	Commit func(Stats) error
}

// A checkpointError is a commit that failed: after it nothing more is written, since it could not
// be said what of it counts.
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

// reach makes a checkpoint, unless nothing has changed since the last one, or a record is only half
// written, or may be half of one in the input: then the next one will do, or the end of the run.
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

// A ResumeError says why a run cannot continue where an earlier one has stopped: an input, an
// output or an option is not the one that the earlier run had.
type ResumeError struct{ error }

// Unwrap returns the error with the message.
func (e *ResumeError) Unwrap() error { return e.error }

// CannotResume is fmt.Errorf for a *ResumeError.
func CannotResume(format string, args ...any) error {
	return &ResumeError{fmt.Errorf(format, args...)}
}
