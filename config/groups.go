package config

import (
	"errors"
	"fmt"

	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// Groups asks to join records that resemble each other.
type Groups struct {
	Filter   Filter        // how records are read and sketched, and where they go
	Keep     Keep          // which record of a group
	Linkage  string        // single or leader
	Clusters string        // the file that says which records are in a group; may be empty
	CountBy  []string      // fields whose values are counted in each group
	Resample ResampleFlags // what a group means for the record that is kept
	Index    string        // the directory with the records of earlier days; may be empty
	Merged   string        // the file that says which groups of these are one now; may be empty

	// What was given of flags that sketch files leave no choice about: the name of one that says
	// how records are read and sketched, and the threshold, or 0.
	AboutRecords   string
	GivenThreshold float64
}

// Written are the files that are written.
func (g *Groups) Written() []string { return append(g.Filter.Written(), g.Clusters, g.Merged) }

// GroupsFlags are the flags of the command that groups records.
type GroupsFlags struct {
	Inputs []string `arg:"" optional:"" name:"file" sep:"none" help:"@groups/file"`

	FormatFlags  `group:"records"`
	ID           string `name:"id" group:"records" placeholder:"FIELD" help:"@groups/id"`
	spec.Text    `group:"text"`
	TokenFlags   `group:"text"`
	SimilarFlags `group:"similar"`
	WithinFlags  `group:"similar"`

	FingerprintFlags `group:"similar"`
	EmbeddingFlags   `group:"similar"`
	VectorFlags      `group:"similar"`
	SampleFlags      `group:"similar"`
	EqualityFlags    `group:"similar"`

	Verify        string `group:"similar" enum:",signature,text,containment" default:"" placeholder:"HOW" help:"@groups/verify"`
	ShareFlag     `group:"similar"`
	MaxMemory     Size        `range:"[1,)" group:"similar" placeholder:"SIZE" help:"@groups/max-memory"`
	Linkage       string      `group:"similar" enum:",single,leader" default:"" placeholder:"HOW" help:"@groups/linkage"`
	Keep          Keep        `group:"output" default:"first" placeholder:"WHICH" help:"@groups/keep"`
	Clusters      string      `writes:"records" group:"output" placeholder:"FILE" help:"@groups/clusters"`
	Index         string      `group:"index" placeholder:"DIR" help:"@groups/index"`
	Merged        string      `not:"sketched" writes:"records" needs:"--index DIR: it names groups of earlier days" group:"index" placeholder:"FILE" help:"@groups/merged"`
	Output        string      `writes:"-" short:"o" group:"output" default:"-" placeholder:"FILE" help:"Write the kept records to this file. (default: standard output)"`
	Compress      Compression `group:"output" placeholder:"HOW" help:"@groups/compress"`
	Duplicates    string      `writes:"records" group:"output" placeholder:"FILE" help:"Write the removed records to this file, as they came."`
	Flags         string      `writes:"records" group:"output" placeholder:"FILE" help:"Write a line for each record to this file: 1 kept, 0 removed."`
	Annotate      bool        `group:"output" help:"@groups/annotate"`
	CountBy       []string    `needs:"--annotate|--min-sources N: the counts are added to the records, or decide about them" group:"output" placeholder:"FIELD" help:"@groups/count-by"`
	ResampleFlags `group:"output"`
	Stats         string `writes:"records" group:"output" placeholder:"FILE" help:"Write the counts of the run, and the number of groups, to this file, as JSON."`
	ReportFlags   `group:"output"`
	Quiet         bool `short:"q" group:"output" help:"Print no progress and no summary to standard error."`
}

func (g GroupsFlags) resolve(isGiven explicitFlags) (Command, error) {
	if len(g.Inputs) == 0 {
		g.Inputs = []string{"-"}
	}
	recipe, err := findPreset(g.Preset, g.Threshold)
	if err != nil {
		return nil, err
	}
	aboutRecords, threshold := g.aboutRecords(isGiven), g.Threshold
	method, err := g.resolveEquality(isGiven)
	if err != nil {
		return nil, err
	}
	if err := g.checkVerify(); err != nil {
		return nil, err
	}
	exact := ExactFlags{Memory: spec.MemoryExact, Verify: g.Verify, ShareFlag: g.ShareFlag}
	exact.complete(g.ByMinHash() && method.Method == "")
	g.Verify, g.ShareFlag = exact.Verify, exact.ShareFlag
	fingerprint, contained, err := g.resolveOtherSketches(isGiven)
	if err != nil {
		return nil, err
	}
	g.Text.Complete(recipe)
	g.ofLines(recipe, g.Inputs)
	given := g.Tuning
	if fingerprint == nil && contained == nil && !g.ByVectors() {
		g.ForSignatures(g.Preset, spec.Verification{Verify: g.Verify})
	}
	g.SimilarFlags.complete(recipe)
	g.completeLinkage(contained != nil || g.Verify == spec.VerifyContainment)
	filter, err := g.reading(g.Inputs, "", g.Quiet)
	if err != nil {
		return nil, err
	}
	filter.Output.OutputFlags = OutputFlags{
		Output: g.Output, Compress: g.Compress, Duplicates: g.Duplicates, Flags: g.Flags, Quiet: g.Quiet,
		Annotate: g.Annotate, Stats: g.Stats,
	}
	err = firstOf(g.checkFiles, g.FormatFlags.check, g.Tuning.Check)
	if err != nil {
		return nil, err
	}
	filter.Input.ID, filter.Input.Tokens, filter.Report.ReportFlags = g.ID, g.TokenIDs, g.ReportFlags
	rule := ruleOf(g.Text, g.SimilarFlags)
	rule.Within = spec.ParseWithin(g.Within)
	rule.Verification = exact.verification()
	rule.Estimated = exact.estimated(isGiven, given, recipe)
	rule.Fingerprint, rule.Samples = fingerprint, contained
	rule.Vectors, rule.Parts = g.EmbeddingFlags.vectors(g.VectorFlags), method.value()
	limit := spec.Limit{Bytes: uint64(g.MaxMemory)}
	filter.Method = spec.Method{Rule: rule, Memory: spec.Memory{Kind: spec.MemoryExact, Limit: limit}}
	return &Groups{
		Filter: filter,
		Keep:   g.Keep, Linkage: g.Linkage, Clusters: g.Clusters, CountBy: g.CountBy, Index: g.Index, Merged: g.Merged,
		Resample:     g.ResampleFlags,
		AboutRecords: aboutRecords, GivenThreshold: threshold,
	}, nil
}

// resolveEquality resolves what is said about records that are equal, as for the filter; its fields
// are those with the texts.
func (g *GroupsFlags) resolveEquality(isGiven explicitFlags) (MethodFlags, error) {
	f := FilterFlags{
		given: isGiven, Text: g.Text, RecordFlags: RecordFlags{FormatFlags: g.FormatFlags},
		MethodFlags: MethodFlags{EqualityFlags: g.EqualityFlags, Action: ActionDrop},
	}
	f.Memory = spec.MemoryExact
	err := f.resolveMethod()
	g.Text, g.Field = f.Text, f.Field
	return f.MethodFlags, err
}

// Values of GroupsFlags.Linkage.
const (
	linkageSingle = "single"
	linkageLeader = "leader"
)

// completeLinkage fills in what the user did not set. In a chain of texts, each contained in the
// next, the last may contain nothing of the first.
func (g *GroupsFlags) completeLinkage(isContainment bool) {
	if isContainment {
		fill(&g.Linkage, linkageLeader)
	}
	fill(&g.Linkage, linkageSingle)
}

// resolveOtherSketches resolves what is said about fingerprints, samples and vectors, as for the
// filter.
func (g *GroupsFlags) resolveOtherSketches(isGiven explicitFlags) (*spec.Fingerprint, *spec.Samples, error) {
	f := FilterFlags{
		given: isGiven, Text: g.Text, SimilarFlags: g.SimilarFlags,
		FingerprintFlags: g.FingerprintFlags, EmbeddingFlags: g.EmbeddingFlags, VectorFlags: g.VectorFlags,
		TokenFlags:  g.TokenFlags,
		RecordFlags: RecordFlags{FormatFlags: g.FormatFlags},
		ReportFlags: g.ReportFlags, ContainedFlags: ContainedFlags{SampleFlags: g.SampleFlags},
	}
	f.Memory, f.MaxMemory = spec.MemoryExact, g.MaxMemory
	if err := f.resolveTokens(); err != nil {
		return nil, nil, err
	}
	fingerprint, contained, err := f.resolveOthers()
	if err != nil {
		return nil, nil, err
	}
	if contained != nil && g.MaxMemory != 0 {
		return nil, nil, fmt.Errorf("--max-memory does not go with --sketch %s, of which groups keep all samples: "+
			"leave it out, or take a larger --scale", spec.SketchFracMinHash)
	}
	refine(contained, g.Verify)
	g.Text, g.SimilarFlags, g.Field = f.Text, f.SimilarFlags, f.Field
	return fingerprint, contained, nil
}

// aboutRecords returns the first given flag among those about reading, sketching and writing
// records, or "".
func (g GroupsFlags) aboutRecords(isGiven explicitFlags) string {
	flag := isGiven.first(refusals()[ofSketches]...)
	if c, ok := g.Keep.readsRecords(); flag == "" && ok {
		return "--keep " + c.Rule
	}
	return flag
}

// checkVerify refuses another check than that of the kind of sketches.
func (g GroupsFlags) checkVerify() error {
	if g.Verify != "" && g.Verify != spec.VerifySignature && !g.ByMinHash() {
		return fmt.Errorf("--verify %s is about signatures: leave it out, or --sketch %s", g.Verify, g.Sketch)
	}
	return nil
}

func (g GroupsFlags) checkFiles() error {
	switch {
	case g.Keep.OfText() != "" && g.TokenIDs != "":
		return fmt.Errorf("--keep %s is about texts, and --tokens reads none: give another rule", g.Keep)
	case g.Keep.OfText() != "" && g.Vector != "":
		return fmt.Errorf("--keep %s is about texts, and --vector reads none: give another rule", g.Keep)
	}
	return firstOf(g.checkDays, func() error { return checkFieldList("--count-by", g.CountBy) }, g.checkSources,
		g.ReportFlags.check)
}

// checkSources refuses to look for the sources of a group in several fields.
func (g GroupsFlags) checkSources() error {
	if g.MinSources > 0 && len(g.CountBy) > 1 {
		return errors.New("--min-sources is about one field: give a single --count-by FIELD")
	}
	return nil
}

// checkDays refuses what an index of groups cannot keep up: what was kept on an earlier day stays.
func (g GroupsFlags) checkDays() error {
	switch {
	case g.Index == "":
		return nil
	case g.GivenSeed != nil && g.GivenSeed.Random:
		return errors.New("--seed random does not go with groups --index, whose days need one seed: give a number")
	case !g.Keep.isFirst():
		return fmt.Errorf("--keep %s does not go with --index: what was kept on an earlier day has left, so that the "+
			"first record of a group stays", g.Keep)
	case g.Linkage != linkageSingle:
		return errors.New("--linkage leader does not go with --index: the leaders of one run over all days may be " +
			"others; where it is the default, --linkage single joins chains of records, whose ends may be unlike")
	case g.ResampleFlags.IsSet():
		return errors.New("--repeat and --min-sources do not go with --index: what was kept on an earlier day has " +
			"left, and its group still grows")
	case g.Report != "":
		return errors.New("--report does not go with --index: it shows kept records, and those of earlier days are " +
			"not read again")
	}
	return nil
}
