package config_test

import (
	"slices"
	"testing"
)

// TestDedupRemembersAsThePreset checks that the preset of sketches says how their keys are
// remembered where the user does not, and changes nothing else: an index in a bucket is read and
// written as a copy in another directory by then.
func TestDedupRemembersAsThePreset(t *testing.T) {
	for _, c := range []struct {
		flags    []string
		remember string
		kind     string
		rate     float64
	}{
		{nil, "unseen", "classic", 1e-5},
		{[]string{"--remember", "all", "--fp-rate", "1e-9"}, "all", "classic", 1e-9},
		{[]string{"--filter", "paged"}, "unseen", "paged", 1e-5},
	} {
		args := append([]string{"dedup", "a.sketch", "--index", "s3://bucket/idx", "--capacity", "7000"}, c.flags...)
		f := filter(t, args...).WithIndexes("copy", []string{"other"})
		want := f.Memory
		want.Remember, want.Filters.Kind, want.Filters.FPRate = c.remember, c.kind, c.rate
		if err := f.RememberAs("lshbloom"); err != nil {
			t.Fatal(err)
		}
		same := f.Memory.OwnIndex == want.OwnIndex && slices.Equal(f.Memory.Against, want.Against)
		if !same || f.Memory.Filters != want.Filters || f.Memory.Remember != want.Remember {
			t.Errorf("%v: %+v, want %+v", c.flags, f.Memory, want)
		}
	}
	f := filter(t, "dedup", "a.sketch").WithIndexes("", nil)
	if err := f.RememberAs("of-a-newer-program"); err == nil {
		t.Error("an unknown preset is ignored")
	}
}
