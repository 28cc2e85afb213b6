package judge

import (
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// A memorySize says how much is remembered, and of what.
type memorySize struct {
	Records    uint64 `json:"records"` // or their parts, by a method of parts; with --read-only, all that are asked
	Bytes      uint64 `json:"bytes"`
	PeakMemory uint64 `json:"peak_memory_bytes"`
	MaxRecord  int    `json:"max_record"` // bytes; a longer text is compared with nothing
	signatureShape
	BloomFrom uint64 `json:"bloom_from,omitempty"` // the first record that Bloom filters have judged

	// Threshold is the Jaccard similarity that makes a duplicate, if similarities are known.
	Threshold float64 `json:"threshold,omitempty"`

	Keys map[string]string `json:"keys,omitempty"` // what determines which texts share a band key

	Within string    `json:"within,omitempty"` // the field whose values come with texts
	Shared *sharing  `json:"shared,omitempty"` // with --listen
	Run    *namedRun `json:"run,omitempty"`    // with --run
}

// signatureShape describes the signatures that are compared.
type signatureShape struct {
	NumPerm     int `json:"num_perm"` // this and the next three are of signatures, and 1 without these
	Bands       int `json:"bands"`
	Rows        int `json:"rows"`
	Votes       int `json:"votes"` // that make a duplicate
	ShingleSize int `json:"shingle_size"`
}

// A namedRun says what a program must know about the run that its texts belong to.
type namedRun struct {
	Name    string `json:"name"`
	Repeats bool   `json:"repeats"` // it gives the verdicts of an earlier time
	Records uint64 `json:"records"` // that it had then, or has so far
	Before  uint64 `json:"before"`  // records that an exact memory had before it
}

// namedRun describes the run, or returns nil without --run.
func (a *responder) namedRun() *namedRun {
	run, repeats, ok := a.session.Run()
	if !ok {
		return nil
	}
	return &namedRun{run.Name, repeats, run.Records, run.Before}
}

// A sharing says what a client must know about the memory that it shares with others.
type sharing struct {
	Memory   string `json:"memory"`
	Within   string `json:"within,omitempty"`
	Commits  bool   `json:"commits"`  // there is an index that can be committed
	Clients  int    `json:"clients"`  // that are connected
	Requests uint64 `json:"requests"` // that were answered
}

// sharing describes what is shared, or returns nil without --listen.
func (h *hub) sharing() *sharing {
	if h == nil {
		return nil
	}
	a := h.responder
	return &sharing{
		Memory: a.c.Memory.Kind, Within: a.c.Rule.Within.Field, Commits: a.canCommit() == nil,
		Clients: h.guests.count(), Requests: h.requests.Load(),
	}
}

// stats returns how much is remembered.
func (a *responder) stats() any {
	s := memorySize{
		PeakMemory: files.PeakMemory(), MaxRecord: a.c.Input.MaxRecord,
		signatureShape: signatureShape{
			NumPerm: 1, Bands: 1, Rows: 1, Votes: a.by.Keys.Votes, ShingleSize: a.c.Rule.Parts.NGram,
		},
		Within: a.c.Rule.Within.Field, Shared: a.hub.sharing(), Run: a.namedRun(),
	}
	if a.texts.sketcher != nil {
		p := a.texts.sketcher.Params()
		s.NumPerm, s.Bands, s.Rows, s.ShingleSize = p.NumPerm, p.Bands, p.Rows, p.ShingleSize
		s.Keys = make(map[string]string, len(a.by.Keys.Identity))
		for _, p := range a.by.Keys.Identity {
			s.Keys[p.Name] = p.Value
		}
	}
	switch m := a.by.Detector; {
	case m.Exact != nil:
		x := m.Exact.Stats()
		s.Records, s.Bytes, s.BloomFrom = x.Records, x.Bytes, x.BloomFrom
		if rule := a.c.Rule; rule.Samples == nil && rule.Verify != spec.VerifyContainment {
			s.Threshold = rule.Threshold
		}
		if m.Exact.ReadOnly {
			s.Records = 0
			for _, asked := range m.Exact.Against {
				s.Records += asked.Names.Records()
			}
		}
		if x.BloomFrom > 0 {
			s.Bytes = m.Filters.Usage().Bytes
		}
	case m.Filters != nil:
		u := m.Filters.Usage()
		s.Records, s.Bytes = u.Inserted, u.Bytes
	default:
		s.Records, s.Bytes = m.PartsKept()
	}
	return s
}
