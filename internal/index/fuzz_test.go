package index

import (
	"fmt"
	"testing"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
)

func FuzzManifest(f *testing.F) {
	m := &manifest{
		parameters: []Parameter{{Name: "threshold", Value: "0.85"}, {Name: "field", Value: "a\tb\\c\n"}},
		bases:      []SealedName{{"base-1-2", 5}},
		log:        "log-2", logLength: 152,
	}
	f.Add(m.encode(), true)
	f.Add([]byte(manifestOpening), false)
	f.Fuzz(func(t *testing.T, text []byte, resum bool) {
		if resum { // get the fuzzer past the checksum
			text = append(text, fmt.Sprintf("checksum\t%016x\n", xxh3.Hash(text))...)
		}
		m, err := decodeManifest(text)
		if err == nil && string(m.encode()) != string(text) {
			t.Errorf("%q is read and written as %q", text, m.encode())
		}
	})
}

// FuzzCommit checks that a commit that can be decoded is encoded the same.
func FuzzCommit(f *testing.F) {
	f.Add(appendCommit(nil, Commit{}))
	f.Add(appendCommit(nil, Commit{Position: Position{Records: 1, Meta: []byte("abc")},
		states: []sectionState{{"exact", []byte("{}")}, {"filters", []byte("12345678")}},
		logs:   []listed{{"exact", 56, false}, {"exact-w1", 100, true}}}))
	f.Fuzz(func(t *testing.T, payload []byte) {
		c, err := decodeCommit(framelog.Frame{Payload: payload})
		if err == nil && string(appendCommit(nil, c)) != string(payload) {
			t.Errorf("%q is read and written as %q", payload, appendCommit(nil, c))
		}
	})
}
