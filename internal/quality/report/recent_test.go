package report

import (
	"fmt"
	"testing"
)

// Of short texts, the latest recentRecords are found but for one, however often their places have
// been used again.
func TestRecentShortTexts(t *testing.T) {
	var r recent
	const first, records = 7, 2*recentRecords + 100
	text := func(number uint64) string { return fmt.Sprintf("%x", number*number) }
	for n := range uint64(records) {
		r.add(first+n, []byte(text(first+n)))
	}
	for _, of := range []struct {
		number uint64
		found  bool
	}{
		{first - 1, false},
		{first, false},
		{first + records - recentRecords, false},
		{first + records - recentRecords + 1, true},
		{first + records - 1, true},
		{first + records, false},
	} {
		got, found := r.find(of.number)
		if found != of.found || found && string(got) != text(of.number) {
			t.Errorf("record %d: %q, %v; want %v", of.number, got, found, of.found)
		}
	}
	for number := uint64(first + records - recentRecords + 1); number < first+records; number++ {
		if got, found := r.find(number); !found || string(got) != text(number) {
			t.Fatalf("record %d: %q, %v; want %q", number, got, found, text(number))
		}
	}
}
