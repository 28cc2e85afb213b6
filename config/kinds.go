package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// KindFlags say how records are counted and limited by kinds, of those that resemble each other.
type KindFlags struct {
	Every    Age   `group:"output" placeholder:"INTERVAL" help:"Text and JSON Lines: at the end of each interval, as in 10s or 1m, and of the input, write for each record that has passed how many more of its kind there were in the interval, which were left out, and when: an object with the member \"mithril_again\", or a line with (12 more, FIRST to LAST). The times are those of --time FIELD, or of text --time line; without it the clock counts, and another run may have other intervals. What is remembered is the first record of each kind, of at most --max-kinds; --forget-after AGE lets a kind pass again that has not come for longer."`
	Rate     Rate  `group:"output" placeholder:"N/INTERVAL" help:"Of each kind let N records pass in each interval, as in 5/1m, and not only the first one ever. Kinds and times are as for --every, beside which it may stand."`
	MaxKinds Count `needs:"--every INTERVAL|--rate N/INTERVAL: these know kinds" range:"[2,100000000]" group:"index" placeholder:"N" help:"With --every or --rate: how many kinds are remembered, about 1.7 kB each. When there are more, the half is forgotten that has not come for longest: those pass again. The summary counts them. (default: 100K)"`
}

// defaultKinds is the default of --max-kinds.
const defaultKinds = 100_000

// Rate is a number of records in an interval: 5/1m, 100/10s, 1/h.
type Rate spec.Rate

// UnmarshalText reads a rate.
func (r *Rate) UnmarshalText(text []byte) error {
	number, interval, _ := strings.Cut(strings.TrimSpace(string(text)), "/")
	if len(interval) == 1 {
		interval = "1" + interval
	}
	var every Age
	n, err := strconv.ParseUint(number, 10, 31)
	if err != nil || n == 0 || every.UnmarshalText([]byte(interval)) != nil {
		return fmt.Errorf("%q is no rate: write N/INTERVAL, such as 5/1m or 100/10s", text)
	}
	*r = Rate{int(n), time.Duration(every)}
	return nil
}

// resolveKinds checks what is said about kinds, and what beside it. It is nil if nothing is.
func (f *FilterFlags) resolveKinds() (*spec.Kinds, error) {
	if f.Every == 0 && f.Rate == (Rate{}) {
		return nil, nil
	}
	asks := f.given.first("--every", "--rate")
	if err := firstOf(
		func() error { return ofKinds.check(f.given, asks) },
		func() error { return withKinds.check(f.given, asks) },
	); err != nil {
		return nil, err
	}
	if !f.ByMinHash() || f.Method != "" {
		return nil, fmt.Errorf("%s is about texts that share words: leave it out, or --sketch and --preset", asks)
	}
	k := &spec.Kinds{
		Every: time.Duration(f.Every), Rate: spec.Rate(f.Rate), Most: int(f.MaxKinds),
		ForgetAfter: time.Duration(f.ForgetAfter), Time: f.Time,
	}
	fill(&k.Most, defaultKinds)
	f.ForgetFlags, f.Memory, f.given = ForgetFlags{}, spec.MemoryExact, f.given.without("--forget-after")
	return k, nil
}
