package config

import (
	"errors"
	"fmt"

	"github.com/mithril-stream/mithril-stream/config/cmdline"
	"github.com/mithril-stream/mithril-stream/config/values"
	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// Groups asks to group records that resemble each other.
type Groups struct {
	Filter   Filter        // how records are read and sketched, and where they go
	Keep     values.Keep   // which record of a group to keep
	Linkage  string        // single or leader
	Clusters string        // file that lists the group of each record; may be empty
	CountBy  []string      // fields whose values are counted for each group
	Resample ResampleFlags // how the size of a group affects its kept record
	Index    string        // directory with the records of earlier days; may be empty
	Merged   string        // file that lists which of those groups have merged; may be empty

	// Given flags that conflict with sketch files, which fix how records are read and compared: the
	// name of a flag about reading and sketching, or empty, and the threshold, or 0.
	AboutRecords   string
	GivenThreshold float64
}

// Written returns the files that are written.
func (g *Groups) Written() []string { return append(g.Filter.Written(), g.Clusters, g.Merged) }

// GroupsFlags are the flags of the command that groups records.
type GroupsFlags struct {
	Inputs []string `arg:"" optional:"" name:"file" sep:"none" help:"@groups/file"`

	FormatFlags `group:"records"`
	ID          string `name:"id" group:"records" placeholder:"FIELD" help:"@groups/id"`
	GroupCompare
	Keep        values.Keep `group:"output" default:"first" placeholder:"WHICH" help:"@groups/keep"`
	Clusters    string      `writes:"records" group:"output" placeholder:"FILE" help:"@groups/clusters"`
	DayFlags    `group:"index"`
	GroupOutput `group:"output"`
}

// GroupCompare says which records belong to the same group.
type GroupCompare struct {
	spec.Text    `group:"text"`
	TokenFlags   `group:"text"`
	SimilarFlags `group:"similar"`
	WithinFlags  `group:"similar"`

	FingerprintFlags `group:"similar"`
	EmbeddingFlags   `group:"similar"`
	VectorFlags      `group:"similar"`
	SampleFlags      `group:"similar"`
	EqualityFlags    `group:"similar"`

	GroupsExact `group:"similar"`
	Linkage     string `group:"similar" enum:",single,leader" default:"" placeholder:"HOW" help:"@groups/linkage"`
}

// DayFlags continue the groups of earlier days.
type DayFlags struct {
	Index  string `placeholder:"DIR" help:"@groups/index"`
	Merged string `not:"sketched" writes:"records" needs:"--index DIR: it names groups of earlier days" placeholder:"FILE" help:"@groups/merged"`
}

// GroupOutput says what is written about groups.
type GroupOutput struct {
	Output     string             `writes:"-" short:"o" default:"-" placeholder:"FILE" help:"Write the kept records to this file. (default: standard output)"`
	Compress   values.Compression `placeholder:"HOW" help:"@groups/compress"`
	Duplicates string             `writes:"records" placeholder:"FILE" help:"Write the removed records to this file, as they came."`
	Flags      string             `writes:"records" placeholder:"FILE" help:"Write a line for each record to this file: 1 kept, 0 removed."`
	Annotate   bool               `help:"@groups/annotate"`
	CountBy    []string           `needs:"--annotate|--min-sources N: the counts are added to the records, or decide about them" placeholder:"FIELD" help:"@groups/count-by"`
	ResampleFlags
	Stats string `writes:"records" placeholder:"FILE" help:"Write the counts of the run, and the number of groups, to this file, as JSON."`
	ReportFlags
	Quiet bool `short:"q" help:"Print no progress and no summary to standard error."`
}

// GroupsExact holds the ExactFlags of groups, whose memory is always exact.
type GroupsExact struct {
	Memory string `kong:"-"`
	Verify string `group:"similar" enum:",signature,text,containment" default:"" placeholder:"HOW" help:"@groups/verify"`
	ShareFlag
	MaxMemory values.Size `range:"[1,)" placeholder:"SIZE" help:"@groups/max-memory"`
}

func (g GroupsFlags) resolve(isGiven cmdline.Given) (Command, error) {
	if len(g.Inputs) == 0 {
		g.Inputs = []string{"-"}
	}
	recipe, err := findPreset(g.Preset, g.Threshold)
	if err != nil {
		return nil, err
	}
	aboutRecords, threshold := g.aboutRecords(isGiven), g.Threshold
	c := comparisonOf(&g, isGiven, &g.Field)
	g.GroupsExact.Memory = spec.MemoryExact
	c.ExactFlags, c.format = (*ExactFlags)(&g.GroupsExact), g.Format
	if err := firstOf(c.resolveMethod, g.checkVerify, func() error { return g.resolveOtherSketches(c) }); err != nil {
		return nil, err
	}
	c.ExactFlags.complete(c.isOfShingles())
	c.Text.Complete(recipe)
	g.ofLines(recipe, g.Inputs)
	c.completeTuning(recipe)
	g.completeLinkage(c.samples != nil || g.Verify == spec.VerifyContainment)
	filter, err := g.reading(g.Inputs, "", g.Quiet)
	if err != nil {
		return nil, err
	}
	filter.Output.OutputFlags = OutputFlags{
		Output: g.Output, Compress: g.Compress, Duplicates: g.Duplicates, Flags: g.Flags, Quiet: g.Quiet,
		Annotate: g.Annotate, Stats: g.Stats,
	}
	err = firstOf(func() error { return g.checkFiles(isGiven) }, g.FormatFlags.check, g.Tuning.Check)
	if err != nil {
		return nil, err
	}
	filter.Input.ID, filter.Input.Tokens, filter.Report.ReportFlags = g.ID, g.TokenIDs, g.ReportFlags
	filter.Rule, filter.Memory = c.rule(), c.memory()
	return &Groups{
		Filter: filter,
		Keep:   g.Keep, Linkage: g.Linkage, Clusters: g.Clusters, CountBy: g.CountBy, Index: g.Index, Merged: g.Merged,
		Resample:     g.ResampleFlags,
		AboutRecords: aboutRecords, GivenThreshold: threshold,
	}, nil
}

// Values of GroupsFlags.Linkage.
const (
	linkageSingle = "single"
	linkageLeader = "leader"
)

// completeLinkage fills in what the user did not set. Containment does not carry over: if each text
// in a chain is contained in the next, the last may contain nothing of the first.
func (g *GroupsFlags) completeLinkage(isContainment bool) {
	if isContainment {
		fill(&g.Linkage, linkageLeader)
	}
	fill(&g.Linkage, linkageSingle)
}

// resolveOtherSketches resolves the flags about tokens, fingerprints, samples and vectors. The user
// cannot choose how these are verified.
func (g *GroupsFlags) resolveOtherSketches(c *comparison) error {
	verify := g.Verify
	if !c.ByMinHash() {
		verify, g.Verify = "", ""
	}
	err := firstOf(c.resolveTokens, c.resolveOthers)
	if g.Verify = verify; err != nil {
		return err
	}
	if c.samples != nil && g.MaxMemory != 0 {
		return fmt.Errorf("--max-memory does not go with --sketch %s, of which groups keep all samples: "+
			"leave it out, or take a larger --scale", spec.SketchFracMinHash)
	}
	return nil
}

// aboutRecords returns the first flag given about reading, sketching or writing records, or "".
func (g GroupsFlags) aboutRecords(isGiven cmdline.Given) string {
	flag := isGiven.First(refusals()[ofSketches]...)
	if c, ok := g.Keep.ReadsRecords(); flag == "" && ok {
		return "--keep " + c.Rule
	}
	return flag
}

// checkVerify rejects a verification that does not fit the kind of sketch.
func (g GroupsFlags) checkVerify() error {
	if g.Verify != "" && g.Verify != spec.VerifySignature && !g.ByMinHash() {
		return fmt.Errorf("--verify %s is about signatures: leave it out, or --sketch %s", g.Verify, g.Sketch)
	}
	return nil
}

func (g GroupsFlags) checkFiles(given cmdline.Given) error {
	switch {
	case g.Keep.OfText() != "" && g.TokenIDs != "":
		return fmt.Errorf("--keep %s is about texts, and --tokens reads none: give another rule", g.Keep)
	case g.Keep.OfText() != "" && g.Vector != "":
		return fmt.Errorf("--keep %s is about texts, and --vector reads none: give another rule", g.Keep)
	}
	return firstOf(func() error { return g.checkDays(given) },
		func() error { return checkFieldList("--count-by", g.CountBy) }, g.checkSources, g.ReportFlags.check)
}

// checkSources rejects counting the sources of a group by several fields.
func (g GroupsFlags) checkSources() error {
	if g.MinSources > 0 && len(g.CountBy) > 1 {
		return errors.New("--min-sources is about one field: give a single --count-by FIELD")
	}
	return nil
}

// checkDays rejects flags that do not work with an index of groups, since what an earlier day has
// kept stays.
func (g GroupsFlags) checkDays(given cmdline.Given) error {
	if g.Index == "" {
		return nil
	}
	const asks = "--index"
	keep, seed := g.Keep.String(), ""
	if g.Keep.IsFirst() {
		keep = values.KeepFirst
	}
	if g.GivenSeed != nil && g.GivenSeed.Random {
		seed = "random"
	}
	return firstOf(
		func() error { return overDays.checkValue(asks, "--seed", seed) },
		func() error { return overDays.checkValue(asks, "--keep", keep) },
		func() error { return overDays.checkValue(asks, "--linkage", g.Linkage) },
		func() error { return overDays.check(given, asks) },
	)
}
