package command

import (
	"testing"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config/values"
)

// TestTableMemory checks that the tables take what the user allows, and otherwise what the machine
// can spare.
func TestTableMemory(t *testing.T) {
	if got := tableMemory(values.Size(5)); got != 5 {
		t.Errorf("5 bytes were asked for, and are %d", got)
	}
	_, available := bloomlsh.UsableMemory()
	if got := tableMemory(0); got < 1<<20 || got > 1<<30 || uint64(got) > max(1<<20, available/2) {
		t.Errorf("%d of %d", got, available)
	}
}
