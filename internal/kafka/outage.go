package kafka

import (
	"log/slog"
	"sync"
	"time"
)

// How often the log speaks of an outage of brokers.
const (
	firstReminder = 10 * time.Second // after the first warning; the next ones come at double intervals
	lastReminder  = 10 * time.Minute // the longest of these
	quietTime     = 15 * time.Second // without a warning, before an outage is over
)

// An outage sums up the warnings while brokers do not answer: the first is logged, then now and
// then how many there were, and at last that it is over. Each of them is logged for debugging. It
// may be used by several goroutines.
type outage struct {
	log *slog.Logger

	mu       sync.Mutex
	began    time.Time // of the outage; zero if there is none
	last     time.Time // of its last warning
	warnings int       // of it
	reminder time.Time // when the log speaks of it next
	interval time.Duration
}

// warn takes note of a warning.
func (o *outage) warn(now time.Time, message string, args ...any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.warnings++
	o.last = now
	switch {
	case o.warnings == 1:
		o.began, o.interval, o.reminder = now, firstReminder, now.Add(firstReminder)
		o.log.Warn(message, args...)
	case now.Before(o.reminder):
		o.log.Debug(message, args...)
	default:
		o.interval = min(2*o.interval, lastReminder)
		o.reminder = now.Add(o.interval)
		o.log.Warn("it goes on: "+message, append(args,
			"since", now.Sub(o.began).Round(time.Second), "warnings", o.warnings)...)
	}
}

// heard takes note of an answer of the brokers. It ends an outage that was without warnings for
// some time: some brokers may answer while others are away.
func (o *outage) heard(now time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.warnings == 0 || now.Sub(o.last) < quietTime {
		return
	}
	if o.warnings > 1 {
		o.log.Info("the brokers answer again", "after", o.last.Sub(o.began).Round(time.Second), "warnings", o.warnings)
	}
	o.warnings = 0
}
