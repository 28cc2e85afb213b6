package kafka

import (
	"bytes"
	"log/slog"
	"testing"
	"time"
)

// TestAnOutageIsSummedUp is an outage of 95 seconds with 130 warnings, and one long after it.
func TestAnOutageIsSummedUp(t *testing.T) {
	var log bytes.Buffer
	plain := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}
	o := &outage{log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{ReplaceAttr: plain}))}
	start := time.Unix(1000, 0)
	for i := range 130 {
		now := start.Add(time.Duration(i) * 95 * time.Second / 130)
		o.warn(now, "no session", "number", i)
		o.brokersAnswered(now) // another broker answers
	}
	o.brokersAnswered(start.Add(100 * time.Second))
	o.brokersAnswered(start.Add(120 * time.Second))
	o.brokersAnswered(start.Add(130 * time.Second))
	o.warn(start.Add(time.Hour), "no session", "number", 1)
	o.brokersAnswered(start.Add(2 * time.Hour))
	o.warn(start.Add(3*time.Hour), "no session", "number", 2)
	want := `
level=WARN msg="no session" number=0
level=WARN msg="it goes on: no session" number=14 since=10s warnings=15
level=WARN msg="it goes on: no session" number=42 since=31s warnings=43
level=WARN msg="it goes on: no session" number=97 since=1m11s warnings=98
level=INFO msg="the brokers answer again" after=1m34s warnings=130
level=WARN msg="no session" number=1
level=WARN msg="no session" number=2
`
	if got := "\n" + log.String(); got != want {
		t.Errorf("%s", got)
	}
}
