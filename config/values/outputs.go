package values

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Checkpoint says how often a run is committed before it ends: after a duration, after a number of
// records, or never.
type Checkpoint struct {
	Every   time.Duration
	Records uint64
}

// UnmarshalText parses a duration (30s, 10m) or a count (100000, 5M).
func (c *Checkpoint) UnmarshalText(text []byte) error {
	if every, err := time.ParseDuration(string(text)); err == nil && every > 0 {
		*c = Checkpoint{Every: every}
		return nil
	}
	var records Count
	if err := records.UnmarshalText(text); err != nil || records == 0 {
		return fmt.Errorf("%q is neither a time nor a count: write something like 30s, 10m, 100000 or 5M", text)
	}
	*c = Checkpoint{Records: uint64(records)}
	return nil
}

// IsSet reports whether there are checkpoints.
func (c Checkpoint) IsSet() bool { return c != Checkpoint{} }

// Compression says how to compress an output. The zero value means that the flag was not given.
type Compression struct {
	Format string
	Level  int // 0 means the format's default
}

// UnmarshalText parses values such as gzip, zstd, gzip:9 and zstd:19.
func (c *Compression) UnmarshalText(text []byte) error {
	format, level, leveled := strings.Cut(string(text), ":")
	*c = Compression{Format: format}
	if !leveled {
		return nil
	}
	var err error
	if c.Level, err = strconv.Atoi(level); err != nil || c.Level < 1 {
		return fmt.Errorf("%q has no level that is a number: write something like gzip, gzip:9 or zstd:19", text)
	}
	return nil
}

// IsSet reports whether a compression was given.
func (c Compression) IsSet() bool { return c != Compression{} }
