package files

import (
	"testing"
	"unicode/utf8"
)

func TestFit(t *testing.T) {
	parts := []Part{{"1,000 records", 0}, {"5 records/s", 2}, {"7 MB/s", 3}, {"10 % duplicates", 1}}
	for _, c := range []struct {
		columns int
		want    string
	}{
		{0, "1,000 records  5 records/s  7 MB/s  10 % duplicates"},
		{80, "1,000 records  5 records/s  7 MB/s  10 % duplicates"},
		{52, "1,000 records  5 records/s  7 MB/s  10 % duplicates"},
		{51, "1,000 records  5 records/s  10 % duplicates"},
		{44, "1,000 records  5 records/s  10 % duplicates"},
		{43, "1,000 records  10 % duplicates"},
		{30, "1,000 records"},
		{14, "1,000 records"},
		{10, "1,000 rec"},
		{1, ""},
	} {
		got := Fit(parts, c.columns)
		if got != c.want {
			t.Errorf("%d columns: %q, want %q", c.columns, got, c.want)
		}
		if c.columns > 0 && utf8.RuneCountInString(got) >= c.columns {
			t.Errorf("%d columns: %q has %d", c.columns, got, utf8.RuneCountInString(got))
		}
	}
	if Fit(nil, 10) != "" || parts[2].Text != "7 MB/s" {
		t.Error("fit has changed its parts")
	}
}
