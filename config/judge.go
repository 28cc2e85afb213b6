package config

import (
	"errors"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// Judge asks to judge texts for another program.
type Judge struct {
	Filter Filter // how texts are sketched and judged
	Listen string // where to listen for clients; empty for standard input and output
	Run    string // what the run is called, which can be repeated; empty if it cannot
}

// JudgeFlags are the flags of the command that judges texts for another program.
type JudgeFlags struct {
	spec.Text      `group:"text"`
	SimilarFlags   `group:"similar"`
	ContainedFlags `group:"similar"`
	PartFlags      `group:"similar"`
	WithinFlags    `group:"similar"`
	Memory         string `rule:"yes" group:"index" enum:"bloom,exact,auto" default:"exact" placeholder:"WHICH" help:"@judge/memory"`
	Verify         string `rule:"yes" group:"index" enum:",signature,text,containment,sample" default:"" placeholder:"HOW" help:"@judge/verify"`
	ShareFlag      `group:"index"`
	MaxMemory      Size `range:"[1,)" group:"index" aliases:"memory-limit" placeholder:"SIZE" help:"@judge/max-memory"`
	MemoryFlags    `group:"index"`
	Run            string `group:"index" needs:"--index DIR: there its verdicts are kept" placeholder:"NAME" help:"@judge/run"`
	LimitFlags     `group:"records"`
	Listen         string `group:"records" placeholder:"ADDRESS" help:"@judge/listen"`
}

func (j JudgeFlags) resolve(isGiven explicitFlags) (Command, error) {
	madeBy := ruleArguments(j, isGiven)
	isGiven, err := j.PartFlags.resolveFor(isGiven, &j.Text, j.SimilarFlags, &j.SampleFlags, &j.SeenFlags,
		&j.Memory)
	if err != nil {
		return nil, err
	}
	recipe, err := findPreset(j.Preset, j.Threshold)
	if err != nil {
		return nil, err
	}
	j.SeenFlags.complete(recipe)
	j.Text.Complete(recipe)
	all := FilterFlags{given: isGiven, ExactFlags: ExactFlags{
		Memory: j.Memory, Verify: j.Verify, ShareFlag: j.ShareFlag, MaxMemory: j.MaxMemory,
	}}
	contained, err := j.ContainedFlags.resolveFor(isGiven, &j.SimilarFlags, &all.ExactFlags)
	if err != nil {
		return nil, err
	}
	all.ExactFlags.complete(j.ByMinHash() && j.Method == "")
	given := j.Tuning
	if all.IsExact() && contained == nil {
		j.ForMemory(j.Preset, all.Memory, all.verification())
	}
	j.SimilarFlags.complete(recipe)
	all.MemoryFlags = j.MemoryFlags
	var afterLimit bloomlsh.Banding
	err = firstOf(func() error { return j.checkRun(isGiven) }, j.Tuning.Check, j.MemoryFlags.check,
		j.LimitFlags.check, all.checkExact)
	if err == nil && j.Memory == spec.MemoryAuto {
		afterLimit, err = given.AfterLimit(j.Tuning, recipe)
	}
	rule, memory := ruleOf(j.Text, j.SimilarFlags), j.MemoryFlags.memory(all.ExactFlags)
	rule.Verification, rule.Samples, rule.Parts = all.verification(), contained, j.PartFlags.value()
	rule.Within, rule.Estimated = spec.ParseWithin(j.Within), all.estimated(isGiven, given, recipe)
	memory.AfterLimit, memory.Filters.Parts = afterLimit, uint64(j.Parts)
	memory.MadeBy = madeByAll(madeBy, memory)
	return &Judge{Listen: j.Listen, Run: j.Run, Filter: Filter{
		Input: Input{
			MaxRecord: int(j.MaxRecord), Threads: j.Threads, Unreadable: Unreadable{OnError: "keep", Empty: "keep"},
		},
		Method: spec.Method{Rule: rule, Memory: memory},
	}}, err
}

// checkRun refuses what a run that can be repeated cannot have.
func (j JudgeFlags) checkRun(isGiven explicitFlags) error {
	switch {
	case !isGiven["--run"]:
		return nil
	case j.Run == "":
		return errors.New("--run needs a name, such as 2026-11-28")
	case j.Listen != "":
		return errors.New("--run does not go with --listen: the texts of a run come from one program, in its order")
	case j.ReadOnly:
		return errors.New("--run does not go with --read-only, which remembers nothing: leave one of them out")
	}
	return nil
}
