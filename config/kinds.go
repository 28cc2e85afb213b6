package config

import (
	"fmt"
	"time"

	"github.com/mithril-stream/mithril-stream/config/values"
	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// KindFlags say how similar records are counted and limited, by kind.
type KindFlags struct {
	Every    values.Age   `group:"output" placeholder:"INTERVAL" help:"@kinds/every"`
	Rate     values.Rate  `group:"output" placeholder:"N/INTERVAL" help:"@kinds/rate"`
	MaxKinds values.Count `needs:"--every INTERVAL|--rate N/INTERVAL: these know kinds" range:"[2,100000000]" group:"index" placeholder:"N" help:"@kinds/max-kinds"`
}

// defaultKinds is the default of --max-kinds.
const defaultKinds = 100_000

// resolveKinds checks the flags about kinds and those given with them. It returns nil if none are
// given.
func (k KindFlags) resolveKinds(c *comparison) (*spec.Kinds, error) {
	if k.Every == 0 && k.Rate == (values.Rate{}) {
		return nil, nil
	}
	asks := c.given.First("--every", "--rate")
	if err := firstOf(
		func() error { return ofKinds.check(c.given, asks) },
		func() error { return withKinds.check(c.given, asks) },
	); err != nil {
		return nil, err
	}
	if !c.isOfShingles() {
		return nil, fmt.Errorf("%s is about texts that share words: leave it out, or --sketch and --preset", asks)
	}
	kinds := &spec.Kinds{
		Every: time.Duration(k.Every), Rate: spec.Rate(k.Rate), MaxKinds: int(k.MaxKinds),
		ForgetAfter: time.Duration(c.ForgetAfter), Time: c.Time,
	}
	fill(&kinds.MaxKinds, defaultKinds)
	*c.ForgetFlags, c.Memory, c.given = ForgetFlags{}, spec.MemoryExact, c.given.Without("--forget-after")
	return kinds, nil
}
