package exact

// Stats describes the exact memory at the end of the run.
type Stats struct {
	Records    uint64 `json:"records"`
	Signatures uint64 `json:"signatures"` // distinct ones that are remembered
	Copies     uint64 `json:"copies"`     // records whose signature was known
	Forgotten  uint64 `json:"forgotten"`  // bands of records that were given up, since too many share their keys
	// kept records with more candidates than are compared, in this memory and those that are only
	// read
	Cut       uint64 `json:"cut,omitempty"`
	Bytes     uint64 `json:"bytes"`
	Sealed    uint64 `json:"sealed,omitempty"`     // of the signatures, those on disk
	FileBytes uint64 `json:"file_bytes,omitempty"` // size of these
	LogBytes  uint64 `json:"log_bytes,omitempty"`  // of the log, if it has sets of shingles
	BloomFrom uint64 `json:"bloom_from,omitempty"` // the first record that Bloom filters have judged

	ForgottenGenerations uint64       `json:"forgotten_generations,omitempty"`
	Generations          []generation `json:"generations,omitempty"` // that are remembered, if it forgets
}

// A generation describes what is remembered of a window.
type generation struct {
	Records    uint64 `json:"records"`
	Signatures uint64 `json:"signatures"`
	Since      string `json:"since,omitempty"` // when its window of time begins
}

// Stats describes the memory. It returns nil for a nil one.
func (m *Memory) Stats() *Stats {
	if m == nil {
		return nil
	}
	if m.HasTurned() {
		s := m.after.state
		return &Stats{
			Records: s.Records, Signatures: s.Signatures, Copies: s.Copies, Forgotten: s.Forgotten,
			BloomFrom: s.BloomFrom,
		}
	}
	s := m.Index.Stats()
	x := &Stats{
		Records: s.Records, Signatures: s.Entries, Copies: s.Copies, Forgotten: s.Forgotten,
		Cut: s.Cut + m.Against.Cut(), Bytes: s.Bytes,
		Sealed: s.Sealed, FileBytes: s.FileBytes, LogBytes: s.LogBytes,
	}
	if m.Forgets() {
		all := m.windows.Windows()
		x.ForgottenGenerations = all[0].Number - 1
		for _, w := range all {
			x.Generations = append(x.Generations, generation{w.Records, w.Entries, w.Since(*m.forgets)})
		}
	}
	return x
}
