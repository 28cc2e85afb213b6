package config

// Judge asks to judge texts for another program.
type Judge struct {
	Filter Filter // how texts are sketched and judged
}

// JudgeFlags are the flags of the command that judges texts for another program.
type JudgeFlags struct {
	TextFlags    `group:"text"`
	SimilarFlags `group:"similar"`
	Memory       string `group:"index" enum:"bloom,exact" default:"exact" placeholder:"WHICH" help:"bloom: Bloom filters, which know that a text was seen. exact: hash tables and signatures, which know the text that it resembles and how much. (default: ${default})"`
	Verify       string `group:"index" enum:"signature,none,text" default:"signature" placeholder:"HOW" help:"With --memory exact: what makes a candidate a duplicate: signature, an estimate from it, none, a common band, or text, the sets of shingles. (default: ${default})"`
	MemoryFlags  `group:"index"`
	LimitFlags   `group:"records"`
}

func (j JudgeFlags) resolve(isGiven given) (Command, error) {
	recipe, err := findPreset(j.Preset)
	if err != nil {
		return nil, err
	}
	j.SeenFlags.complete()
	j.TextFlags.complete(recipe)
	if j.Memory == MemoryExact {
		j.TuneFlags.forCandidates(j.Preset)
	}
	j.SimilarFlags.complete(recipe)
	all := FilterFlags{given: isGiven, ExactFlags: ExactFlags{Memory: j.Memory, Verify: j.Verify}}
	all.MemoryFlags = j.MemoryFlags
	err = firstOf(j.TuneFlags.check, j.MemoryFlags.check, j.LimitFlags.check, all.checkExact)
	return &Judge{Filter{
		MaxRecord: int(j.MaxRecord), OnError: "keep", Empty: "keep", Threads: j.Threads,
		Text: j.TextFlags, Similar: j.SimilarFlags, Index: IndexFlags{MemoryFlags: j.MemoryFlags},
		ExactFlags: all.ExactFlags,
	}}, err
}
