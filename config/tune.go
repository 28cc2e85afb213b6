package config

import (
	"errors"
	"fmt"
	"strings"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
)

// check refuses what has no meaning whatever the tuning does with it.
func (t TuneFlags) check() error {
	switch {
	case t.Tune != bloomlsh.TuneForF2 && t.Tune != bloomlsh.TuneForF1 &&
		t.Tune != bloomlsh.TuneForRecall && t.Tune != bloomlsh.TuneForBalanced:
		return fmt.Errorf("--tune %s is not known: use f2, f1, recall or balanced", t.Tune)
	case (t.Bands == 0) != (t.Rows == 0):
		return errors.New("--bands and --rows must both be given, both at least 1")
	case t.Bands > 0 && (t.Bands > t.NumPerm || t.Rows > t.NumPerm || t.Bands*t.Rows > t.NumPerm):
		return fmt.Errorf("--bands %d times --rows %d is more than --num-perm %d: raise --num-perm or leave it out",
			t.Bands, t.Rows, t.NumPerm)
	case t.Bands > 0 && t.Votes > t.Bands:
		return fmt.Errorf("--votes %d must be between 1 and the number of bands, %d", t.Votes, t.Bands)
	case t.Votes > 1 && t.Tune == bloomlsh.TuneForBalanced && t.Bands == 0:
		return fmt.Errorf("--tune balanced is about one vote, not %d: use f2, f1 or recall", t.Votes)
	}
	if _, err := bloomlsh.ParseProfile(t.Profile); err != nil {
		return fmt.Errorf("--profile %s: %w: use one of %s, or something like 0.05:1000@0.3",
			t.Profile, err, strings.Join(bloomlsh.ProfileNames(), ", "))
	}
	return nil
}

// Banding is the rule that the flags ask for, tuned where they leave it open.
func (t TuneFlags) Banding() (bloomlsh.Banding, error) { return t.value().Banding() }
