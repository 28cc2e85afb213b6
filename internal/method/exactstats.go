package method

// ExactStats describes the exact memory at the end of the run.
type ExactStats struct {
	Records    uint64 `json:"records"`
	Signatures uint64 `json:"signatures"` // distinct ones that are remembered
	Copies     uint64 `json:"copies"`     // records whose signature was known
	Forgotten  uint64 `json:"forgotten"`  // bands of records that were given up for keys that too many share
	// kept records whose candidates were more than are looked at
	Cut       uint64 `json:"cut,omitempty"`
	Bytes     uint64 `json:"bytes"`
	Sealed    uint64 `json:"sealed,omitempty"`     // of the signatures, those on disk
	FileBytes uint64 `json:"file_bytes,omitempty"` // that these take there
	LogBytes  uint64 `json:"log_bytes,omitempty"`  // of the log, if it has sets of shingles
	BloomFrom uint64 `json:"bloom_from,omitempty"` // the first record that Bloom filters have judged

	ForgottenGenerations uint64            `json:"forgotten_generations,omitempty"`
	Generations          []exactGeneration `json:"generations,omitempty"` // that are remembered, if it forgets
}

// An exactGeneration describes what is remembered of a window.
type exactGeneration struct {
	Records    uint64 `json:"records"`
	Signatures uint64 `json:"signatures"`
	Since      string `json:"since,omitempty"` // where its window of time begins
}

func (m *Exact) Stats() *ExactStats {
	if m == nil {
		return nil
	}
	if m.HasTurned() {
		s := m.after.state
		return &ExactStats{
			Records: s.Records, Signatures: s.Signatures, Copies: s.Copies, Forgotten: s.Forgotten,
			BloomFrom: s.BloomFrom,
		}
	}
	s := m.Index.Stats()
	x := &ExactStats{
		Records: s.Records, Signatures: s.Entries, Copies: s.Copies, Forgotten: s.Forgotten, Cut: s.Cut, Bytes: s.Bytes,
		Sealed: s.Sealed, FileBytes: s.FileBytes, LogBytes: s.LogBytes,
	}
	if m.Forgets() {
		all := m.windows.Windows()
		x.ForgottenGenerations = all[0].Number - 1
		for _, w := range all {
			x.Generations = append(x.Generations, exactGeneration{w.Records, w.Entries, w.Since(*m.forgets)})
		}
	}
	return x
}
