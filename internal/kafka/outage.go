package kafka

import (
	"log/slog"
	"sync"
	"time"
)

// How often an outage of the brokers is logged.
const (
	firstReminder = 10 * time.Second // after the first warning; the interval doubles each time
	lastReminder  = 10 * time.Minute // the longest interval
	quietTime     = 15 * time.Second // without warnings until an outage is over
)

// An outage summarizes the warnings while brokers do not answer: it logs the first one, at
// intervals how many there were, and the end of the outage. All of them are logged at debug level.
// It is safe for concurrent use.
type outage struct {
	log *slog.Logger

	mu       sync.Mutex
	began    time.Time // start of the outage, or the zero time
	last     time.Time // time of the last warning
	warnings int       // number of warnings
	reminder time.Time // when to log next
	interval time.Duration
}

// warn records a warning.
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

// brokersAnswered records an answer of the brokers. It ends an outage only after some time without
// warnings, since some brokers may answer while others are down.
func (o *outage) brokersAnswered(now time.Time) {
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
