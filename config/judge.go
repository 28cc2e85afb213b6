package config

import (
	"errors"

	"github.com/mithril-stream/mithril-stream/config/cmdline"
	"github.com/mithril-stream/mithril-stream/config/values"
	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// Judge asks to judge texts for another program.
type Judge struct {
	Filter Filter // how texts are sketched and judged
	Listen string // address to listen on for clients; empty for standard input and output
	Run    string // name under which the run can be repeated; empty if it cannot be
}

// JudgeFlags are the flags of the command that judges texts for another program.
type JudgeFlags struct {
	spec.Text      `group:"text"`
	SimilarFlags   `group:"similar"`
	ContainedFlags `group:"similar"`
	PartFlags      `group:"similar"`
	WithinFlags    `group:"similar"`
	JudgeExact     `group:"index"`
	MemoryFlags    `group:"index"`
	Run            string `group:"index" needs:"--index DIR: there its verdicts are kept" placeholder:"NAME" help:"@judge/run"`
	LimitFlags     `group:"records"`
	Listen         string `group:"records" placeholder:"ADDRESS" help:"@judge/listen"`
}

// JudgeExact holds the ExactFlags for judging texts, where the default memory is exact.
type JudgeExact struct {
	Memory string `rule:"yes" enum:"bloom,exact,auto" default:"exact" placeholder:"WHICH" help:"@judge/memory"`
	Verify string `rule:"yes" enum:",signature,text,containment,sample" default:"" placeholder:"HOW" help:"@judge/verify"`
	ShareFlag
	MaxMemory values.Size `range:"[1,)" aliases:"memory-limit" placeholder:"SIZE" help:"@judge/max-memory"`
}

func (j JudgeFlags) resolve(isGiven cmdline.Given) (Command, error) {
	madeBy := ruleArguments(j, isGiven)
	c := comparisonOf(&j, isGiven, new([]string))
	c.ExactFlags = (*ExactFlags)(&j.JudgeExact)
	if err := c.resolvePartsFirst(); err != nil {
		return nil, err
	}
	recipe, err := findPreset(j.Preset, j.Threshold)
	if err != nil {
		return nil, err
	}
	c.SeenFlags.complete(recipe)
	c.Text.Complete(recipe)
	if err := c.resolveSamples(); err != nil {
		return nil, err
	}
	c.ExactFlags.complete(c.isOfShingles())
	c.completeTuning(recipe)
	if err := firstOf(func() error { return j.checkRun(c.given) }, j.Tuning.Check, j.MemoryFlags.check,
		j.LimitFlags.check, c.checkExact); err != nil {
		return nil, err
	}
	method, err := c.method()
	method.Memory.MadeBy = madeByAll(madeBy, method.Memory)
	return &Judge{Listen: j.Listen, Run: j.Run, Filter: Filter{
		Input: Input{
			MaxRecord: int(j.MaxRecord), Threads: j.Threads, Unreadable: Unreadable{OnError: "keep", Empty: "keep"},
		},
		Method: method,
	}}, err
}

// checkRun rejects flags that conflict with a repeatable run.
func (j JudgeFlags) checkRun(isGiven cmdline.Given) error {
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
