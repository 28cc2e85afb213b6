package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Size is a number of bytes: 4096, 64KiB, 64MiB, 8GiB, or with decimal units 10MB, 2GB. K, M, G and
// T are short for KiB and so on.
type Size int64

var sizeUnits = []struct {
	suffix string
	bytes  float64
}{
	{"kib", 1 << 10}, {"mib", 1 << 20}, {"gib", 1 << 30}, {"tib", 1 << 40},
	{"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9}, {"tb", 1e12},
	{"k", 1 << 10}, {"m", 1 << 20}, {"g", 1 << 30}, {"t", 1 << 40}, {"b", 1},
}

// UnmarshalText parses a size.
func (s *Size) UnmarshalText(text []byte) error {
	number, factor := strings.ToLower(strings.TrimSpace(string(text))), 1.0
	for _, unit := range sizeUnits {
		if rest, ok := strings.CutSuffix(number, unit.suffix); ok {
			number, factor = rest, unit.bytes
			break
		}
	}
	value, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || !(value*factor >= 0 && value*factor < math.MaxInt64) {
		return fmt.Errorf("%q is not a size: write something like 4096, 64MiB, 8GiB or 10MB", text)
	}
	*s = Size(value * factor)
	return nil
}

// Count is a number of records: 1000000, 5e9, 10M. K, M, G (or B) and T are powers of a thousand.
type Count uint64

var countUnits = map[byte]float64{'k': 1e3, 'm': 1e6, 'g': 1e9, 'b': 1e9, 't': 1e12}

// UnmarshalText parses a count.
func (c *Count) UnmarshalText(text []byte) error {
	number, factor := strings.ToLower(strings.TrimSpace(string(text))), 1.0
	if n := len(number); n > 0 {
		if unit, ok := countUnits[number[n-1]]; ok {
			number, factor = number[:n-1], unit
		}
	}
	value, err := strconv.ParseFloat(number, 64)
	if err != nil || !(value*factor >= 0 && value*factor <= 1e18) {
		return fmt.Errorf("%q is not a count: write something like 1000000, 5e9 or 10M", text)
	}
	*c = Count(math.Round(value * factor))
	return nil
}

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
