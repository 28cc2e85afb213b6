package values

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// MostTimes is the largest number of times a record can be written.
const MostTimes = 1000

// Repeat is a table that says how often to write a record, by the size of its group.
type Repeat struct{ steps []repeatStep } // ascending

// A repeatStep applies to groups of at least that size, up to the next step.
type repeatStep struct {
	size  uint64
	times int
}

// Times returns how often to write the record kept of a group of that size: once below the first
// step.
func (r Repeat) Times(size uint64) int {
	times := 1
	for _, s := range r.steps {
		if s.size > size {
			break
		}
		times = s.times
	}
	return times
}

// UnmarshalText parses SIZE:TIMES,…, with or without the braces and quotes of JSON or Python.
func (r *Repeat) UnmarshalText(text []byte) error {
	plain := strings.NewReplacer("{", "", "}", "", `"`, "", "'", "", " ", "").Replace(string(text))
	r.steps = nil
	for pair := range strings.SplitSeq(plain, ",") {
		before, after, _ := strings.Cut(pair, ":")
		size, err := strconv.ParseUint(before, 10, 32)
		times, errTimes := strconv.ParseUint(after, 10, 32)
		if err = errors.Join(err, errTimes); err != nil || size == 0 || times > MostTimes {
			return fmt.Errorf("%q is not SIZE:TIMES, a size from 1 on and a number up to %d: write a table such as "+
				"1:1,2:3,10:5", pair, MostTimes)
		}
		if n := len(r.steps); n > 0 && size <= r.steps[n-1].size {
			return fmt.Errorf("the size %d follows %d: write the sizes in ascending order", size, r.steps[n-1].size)
		}
		r.steps = append(r.steps, repeatStep{size, int(times)})
	}
	return nil
}

// IsSet reports whether a table was given.
func (r Repeat) IsSet() bool { return len(r.steps) > 0 }
