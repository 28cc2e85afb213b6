package memory

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/stream"
)

// notes are the notes in a log.
type notes [][]byte

func (n *notes) Note(note []byte) error {
	*n = append(*n, append([]byte(nil), note...))
	return nil
}

// TestNamesBehindOthers checks that names of several days, appended to each other or read from
// their notes, equal those of all records in a single run, with and without ids.
func TestNamesBehindOthers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var extended, loaded Names
		var want []string
		for day := range rapid.IntRange(1, 4).Draw(t, "days") {
			before := uint64(len(want))
			var log notes
			own := Names{WithIDs: rapid.Bool().Draw(t, "with ids")}
			own.NoteTo(log.Note)
			for i := range rapid.Uint64Range(0, 5).Draw(t, "records") {
				d := stream.Decided{Input: fmt.Sprint("in", day), Record: i + 1}
				name := fmt.Sprintf(`"in%d:%d"`, day, i+1)
				if id := rapid.SampledFrom([]string{"", "7", `"<a>"`, `[1,"],"]`}).Draw(t, "id"); own.WithIDs && id != "" {
					d.ID, name = []byte(id), id
				}
				if err := own.Observe(&d); err != nil {
					t.Fatal(err)
				}
				want = append(want, name)
				if rapid.Bool().Draw(t, "note") {
					if err := own.Note(); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := own.Note(); err != nil {
				t.Fatal(err)
			}
			extended.Extend(&own)
			for _, note := range log {
				if err := loaded.LoadAfter(note, before); err != nil {
					t.Fatalf("%s: %v", note, err)
				}
			}
		}
		for i, name := range want {
			for _, names := range []*Names{&extended, &loaded} {
				got := string(names.Append(nil, uint64(i+1)))
				if got != name && !(name == `"<a>"` && got == `"\u003ca\u003e"`) {
					t.Fatalf("record %d is %s, want %s", i+1, got, name)
				}
			}
		}
		if extended.Has(uint64(len(want))+1) || loaded.Has(uint64(len(want))+1) {
			t.Fatal("there are more")
		}
	})
}
