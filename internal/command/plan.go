package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"text/tabwriter"
	"time"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/run"
	"github.com/mithril-stream/mithril-stream/internal/memory/signatures"
	"github.com/mithril-stream/mithril-stream/internal/method"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// Bits of a band key.
const (
	hashKeyBits = 128
	sumKeyBits  = 61
)

// day has this many seconds.
const day = 24 * 60 * 60

// planned is what `plan --json` writes. Shares and rates are probabilities; sizes are bytes.
type planned struct {
	Documents             uint64     `json:"documents"`
	Threshold             float64    `json:"threshold"`
	NumPerm               int        `json:"num_perm"`
	Bands                 int        `json:"bands"`
	Rows                  int        `json:"rows"`
	Votes                 int        `json:"votes"`
	CaughtAtThreshold     float64    `json:"caught_at_threshold"`
	Profile               string     `json:"profile"`
	Precision             float64    `json:"expected_precision"`
	Recall                float64    `json:"expected_recall"`
	DifferentRemoved      float64    `json:"expected_share_of_different_removed"`
	Filter                string     `json:"filter"`
	Probes                int        `json:"probes"`
	BitsPerKey            float64    `json:"bits_per_key"`
	BandRate              float64    `json:"fp_of_a_band"`
	Memory                uint64     `json:"memory"`
	KeepGenerations       int        `json:"keep_generations,omitempty"`
	ForgetAfter           float64    `json:"forget_after_seconds,omitempty"`
	GenerationCapacity    uint64     `json:"generation_capacity"`
	Disk                  uint64     `json:"disk"`
	DiskToFold            uint64     `json:"disk_to_fold"`
	ClassicBytes          uint64     `json:"classic_bloom_bytes"`
	HashTableBytes        uint64     `json:"hash_table_bytes"`
	ExactBytes            uint64     `json:"exact_memory_bytes"`
	ExactLeast            uint64     `json:"exact_max_memory_bytes"` // the least that --max-memory must be
	ExactDisk             uint64     `json:"exact_disk_bytes"`       // that go to files with it
	SamplesBytes          uint64     `json:"samples_memory_bytes"`
	SamplesLeast          uint64     `json:"samples_max_memory_bytes"` // the least that --max-memory must be
	SketchBytes           uint64     `json:"sketch_bytes"`             // of sketch files
	SignatureBytes        uint64     `json:"sketch_with_signatures_bytes"`
	AutoSignatures        uint64     `json:"auto_exact_signatures,omitempty"` // with --max-memory
	AutoBands             int        `json:"auto_bands,omitempty"`            // of the filters after that
	AutoRows              int        `json:"auto_rows,omitempty"`
	AutoVotes             int        `json:"auto_votes,omitempty"`
	AutoBytes             uint64     `json:"auto_filter_bytes,omitempty"`
	UnderLimit            *limitPlan `json:"memory_limit,omitempty"`
	NanosPerRecord        float64    `json:"index_nanoseconds_a_record"`
	ExpectedFalseRemovals float64    `json:"expected_false_removals"`
	LSHFalsePositives     float64    `json:"fp_lsh"`
	LSHFalseNegatives     float64    `json:"fn_lsh"`
	FilterRate            float64    `json:"fp_filters"`
	OneShort              float64    `json:"fp_filters_one_vote_short"`
	CollisionRate         float64    `json:"fp_collisions"`
	FalsePositives        float64    `json:"fp"`
	FalseNegatives        float64    `json:"fn"`
	Sample                *sampled   `json:"sample,omitempty"` // with --sample
}

func plan(ctx context.Context, c *config.Plan, std files.Streams) error {
	out := std.Out
	if c.Method != "" {
		return planParts(c, out)
	}
	rule, err := c.Banding()
	if err != nil {
		return usage.Error(err)
	}
	profile, err := bloomlsh.ParseProfile(c.Profile)
	if err != nil {
		return usage.Error(err)
	}
	params := bloomlsh.Params{
		Bands: rule.Bands, Votes: rule.Votes, Capacity: uint64(c.Documents), FPRate: c.FPRate,
		Filter: c.Filter, OnFull: c.OnFull, KeepGenerations: c.KeepGenerations,
		ForgetAfter: time.Duration(c.ForgetAfter),
	}
	p, err := bloomlsh.PlanIndex(params, rule.Rows)
	if err != nil {
		return usage.Error(err)
	}
	candidates, err := c.Candidates.Banding()
	if err != nil {
		return usage.Error(err)
	}
	exactly := signatures.Params{
		NumPerm: candidates.NumPerm, Bands: candidates.Bands, Rows: candidates.Rows, Votes: candidates.Votes,
		Threshold: c.Threshold,
	}
	exact, err := planExact(exactly, uint64(c.Documents), uint64(c.KeepGenerations))
	if err != nil {
		return usage.Error(err)
	}
	curve := bloomlsh.Curve{Bands: rule.Bands, Rows: rule.Rows, Votes: rule.Votes, Threshold: c.Threshold}
	if c.SVG != "" {
		if err := writeSVG(c.SVG, curve); err != nil {
			return err
		}
	}
	bits := hashKeyBits
	if c.BandKey == "sum" {
		bits = sumKeyBits
	}
	m := bloomlsh.ModelErrors(params, rule.Rows, c.Threshold, uint64(c.Documents), bits)
	if p.Filter == bloomlsh.FilterTagged {
		profile.Crowded = 0 // votes of different groups do not add up
	}
	f := rule.Forecast(c.Threshold, profile)
	result := planned{
		Documents: uint64(c.Documents), Threshold: c.Threshold,
		NumPerm: rule.NumPerm, Bands: rule.Bands, Rows: rule.Rows, Votes: rule.Votes,
		CaughtAtThreshold: curve.At(c.Threshold),
		Profile:           c.Profile, Precision: f.Precision, Recall: f.Recall, DifferentRemoved: f.Different,
		Filter: p.Filter, Probes: p.Probes, BitsPerKey: p.BitsPerKey, BandRate: p.BandRate,
		KeepGenerations: c.KeepGenerations, ForgetAfter: params.ForgetAfter.Seconds(),
		GenerationCapacity: p.GenerationCapacity,
		Memory:             p.Memory, Disk: p.Disk, DiskToFold: p.DiskToFold,
		ClassicBytes: p.ClassicBytes, HashTableBytes: p.HashTableBytes,
		ExactBytes: exact.Memory, ExactLeast: exact.LeastMemory, ExactDisk: exact.Disk,
		SketchBytes: run.SketchBytes(uint64(c.Documents), rule.Bands, 0),
		SignatureBytes: run.SketchBytes(uint64(c.Documents), candidates.Bands,
			run.SignatureWords(sketch.Params{NumPerm: candidates.NumPerm})),
		NanosPerRecord: p.NanosPerRecord, ExpectedFalseRemovals: p.ExpectedFalseRemovals,
		LSHFalsePositives: m.LSHFalsePositives, LSHFalseNegatives: m.LSHFalseNegatives,
		FilterRate: m.Filters, OneShort: m.OneShort, CollisionRate: m.Collisions,
		FalsePositives: m.FalsePositives, FalseNegatives: m.FalseNegatives,
	}
	each, memories := divided(uint64(c.Documents), uint64(c.KeepGenerations))
	result.SamplesBytes, result.SamplesLeast = method.RoomOfSamples(each)
	result.SamplesBytes, result.SamplesLeast = memories*result.SamplesBytes, memories*result.SamplesLeast
	if c.MemoryLimit > 0 {
		result.UnderLimit = planLimit(c, params, rule.Rows)
		if err := result.planAuto(c, exactly, params); err != nil {
			return usage.Error(err)
		}
	}
	if len(c.Sample) > 0 {
		params.Filter = p.Filter
		if result.Sample, err = planSample(ctx, c, std, params); err != nil {
			return err
		}
	}
	if c.JSON {
		return files.WriteJSON(out, result)
	}
	return errors.Join(writePlan(out, result), result.Sample.write(out, c.Threshold), curve.WriteText(out, 72, 16))
}

// planExact is what an exact memory takes.
func planExact(p signatures.Params, documents, keep uint64) (all signatures.Plan, err error) {
	each, memories := divided(documents, keep)
	all, err = signatures.PlanIndex(p, each)
	all.Memory, all.LeastMemory, all.Disk = memories*all.Memory, memories*all.LeastMemory, memories*all.Disk
	return all, err
}

// divided is how many documents each memory has that knows originals, and how many memories: one
// that forgets is made of several, which share --max-memory.
func divided(documents, keep uint64) (each, memories uint64) {
	if keep < 2 {
		return documents, 1
	}
	return (documents + keep - 2) / (keep - 1), keep
}

// planAuto adds where --memory auto leaves off to be exact, and the filters of all documents that
// it goes on with.
func (p *planned) planAuto(c *config.Plan, exactly signatures.Params, filters bloomlsh.Params) error {
	rule := c.AfterLimit
	filters.Bands, filters.Votes = rule.Bands, rule.Votes
	after, err := bloomlsh.PlanIndex(filters, rule.Rows)
	exactly.NumPerm, exactly.SlotBits = rule.NumPerm, 8 // of which the filters take their keys
	p.AutoSignatures = max(1, exactly.CapacityOf(uint64(c.MemoryLimit)))
	p.AutoBands, p.AutoRows, p.AutoVotes, p.AutoBytes = rule.Bands, rule.Rows, rule.Votes, after.Memory
	return err
}

func writeSVG(path string, curve bloomlsh.Curve) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(curve.WriteSVG(f), f.Close())
}

func writePlan(out io.Writer, p planned) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "documents\t%s\n", units.Count(p.Documents))
	fmt.Fprintf(t, "a duplicate has\tseen at least %d of its %d bands of %d rows (%d permutations, threshold %g)\n",
		p.Votes, p.Bands, p.Rows, p.NumPerm, p.Threshold)
	fmt.Fprintf(t, "a pair at the threshold\tis caught with probability %.3f\n", p.CaughtAtThreshold)
	fmt.Fprintf(t, "similar but different\t%.2g %% of the records without an earlier one at the threshold are removed "+
		"(profile %s)\n", 100*p.DifferentRemoved, p.Profile)
	fmt.Fprintf(t, "precision, recall\t%.3f and %.3f expected there\n", p.Precision, p.Recall)
	if p.Filter == bloomlsh.FilterTagged {
		fmt.Fprintf(t, "filter\t%s, %d bytes an entry, %.1f bits a key, names one particular group by accident at a "+
			"rate of %.2g\n", p.Filter, p.Probes, p.BitsPerKey, p.BandRate)
	} else {
		fmt.Fprintf(t, "filter\t%s, %d probes, %.1f bits a key, wrong at a rate of %.2g\n", p.Filter, p.Probes,
			p.BitsPerKey, p.BandRate)
	}
	fmt.Fprintf(t, "memory\t%s\n", units.Bytes(p.Memory))
	switch n := uint64(p.KeepGenerations); {
	case p.ForgetAfter > 0:
		fmt.Fprintf(t, "remembered\t%.3g days at least, %.3g at most, in %d generations of %s\n",
			p.ForgetAfter/day, p.ForgetAfter/day*float64(n)/float64(n-1), n, units.Bytes(p.Memory/n))
	case n > 0:
		fmt.Fprintf(t, "remembered\tthe last %s records at least, %s at most, in %d generations of %s\n",
			units.Count(p.Documents), units.Count(p.GenerationCapacity*n), n, units.Bytes(p.Memory/n))
	}
	p.UnderLimit.write(t)
	fmt.Fprintf(t, "disk\t%s, %s while its log is folded and until the next run ends\n",
		units.Bytes(p.Disk), units.Bytes(p.DiskToFold))
	fmt.Fprintf(t, "beside\t%s as classic Bloom filters, %s as a MinHashLSH hash table\n",
		units.Bytes(p.ClassicBytes), units.Bytes(p.HashTableBytes))
	fmt.Fprintf(t, "--memory exact\tat most %s, %.0f bytes a record\n",
		units.Bytes(p.ExactBytes), float64(p.ExactBytes)/float64(p.Documents))
	fmt.Fprintf(t, "\twith --max-memory %s or more: the rest on disk, at most %s\n",
		units.Bytes(p.ExactLeast), units.Bytes(p.ExactDisk))
	fmt.Fprintf(t, "--sketch fracminhash\tat most %s, %.0f bytes a record\n",
		units.Bytes(p.SamplesBytes), float64(p.SamplesBytes)/float64(p.Documents))
	fmt.Fprintf(t, "\twith --max-memory %s or more: the rest on disk\n", units.Bytes(p.SamplesLeast))
	if p.AutoSignatures > 0 {
		fmt.Fprintf(t, "--memory auto\texact for the first %s signatures; then %d of %d bands of %d rows, with "+
			"filters of %s\n",
			units.Count(p.AutoSignatures), p.AutoVotes, p.AutoBands, p.AutoRows, units.Bytes(p.AutoBytes))
	}
	fmt.Fprintf(t, "sketch files\t%s; %s with --signatures, for groups\n", units.Bytes(p.SketchBytes),
		units.Bytes(p.SignatureBytes))
	fmt.Fprintf(t, "index speed\tabout %s records/s on one core\n",
		units.Count(uint64(math.Round(1e6/p.NanosPerRecord))*1000))
	fmt.Fprintf(t, "unseen records removed\t%.3g expected over the whole run, by the filters\n",
		p.ExpectedFalseRemovals)
	fmt.Fprintf(t, "\nerror model (arXiv 2411.04257, docs/votes.md)\t\n")
	fmt.Fprintf(t, "false positives of the bands (1)\t%.4g\n", p.LSHFalsePositives)
	fmt.Fprintf(t, "false negatives of the bands (2)\t%.4g\n", p.LSHFalseNegatives)
	fmt.Fprintf(t, "the full filters\t%.4g; %.4g for a record that lacks one vote\n", p.FilterRate, p.OneShort)
	fmt.Fprintf(t, "equal keys of unlike bands\t%.4g\n", p.CollisionRate)
	fmt.Fprintf(t, "false positives, all (3)\t%.4g\n", p.FalsePositives)
	fmt.Fprintf(t, "false negatives, all (4)\t%.4g\n\n", p.FalseNegatives)
	return t.Flush()
}
