package config

import (
	"errors"
	"fmt"
)

// check refuses what has no meaning whatever the tuning does with it.
func (t TuneFlags) check() error {
	switch {
	case !(t.Threshold > 0 && t.Threshold <= 1):
		return fmt.Errorf("--threshold %v must be above 0 and at most 1", t.Threshold)
	case t.Tune != "recall" && t.Tune != "balanced":
		return fmt.Errorf("--tune %s is not known: use recall or balanced", t.Tune)
	case !isRate(t.Recall):
		return fmt.Errorf("--recall %v must be between 0 and 1", t.Recall)
	case t.NumPerm < 1:
		return fmt.Errorf("--num-perm %d must be at least 1", t.NumPerm)
	case t.Bands < 0 || t.Rows < 0 || (t.Bands == 0) != (t.Rows == 0):
		return errors.New("--bands and --rows must both be given, both at least 1")
	case t.Bands > t.NumPerm || t.Rows > t.NumPerm || t.Bands*t.Rows > t.NumPerm:
		return fmt.Errorf("--bands %d times --rows %d is more than --num-perm %d: raise --num-perm or leave it out",
			t.Bands, t.Rows, t.NumPerm)
	}
	return nil
}

// isRate reports whether p is a probability that is neither impossible nor certain.
func isRate(p float64) bool { return p > 0 && p < 1 }
