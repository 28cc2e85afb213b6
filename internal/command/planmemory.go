package command

import (
	"fmt"
	"io"
	"time"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/bloomlsh/lsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/run"
	"github.com/mithril-stream/mithril-stream/internal/memory/signatures"
	"github.com/mithril-stream/mithril-stream/internal/method"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// plannedFilters says what the filters of an index take, and what other structures would.
type plannedFilters struct {
	Filter             string  `json:"filter"`
	Probes             int     `json:"probes"`
	BitsPerKey         float64 `json:"bits_per_key"`
	BandRate           float64 `json:"fp_of_a_band"`
	Memory             uint64  `json:"memory"`
	KeepGenerations    int     `json:"keep_generations,omitempty"`
	ForgetAfter        float64 `json:"forget_after_seconds,omitempty"`
	GenerationCapacity uint64  `json:"generation_capacity"`
	Disk               uint64  `json:"disk"`
	DiskToFold         uint64  `json:"disk_to_fold"`
	ClassicBytes       uint64  `json:"classic_bloom_bytes"`
	HashTableBytes     uint64  `json:"hash_table_bytes"`
}

func planFilters(p bloomlsh.Plan, c *config.Plan) plannedFilters {
	return plannedFilters{
		Filter: p.Filter, Probes: p.Probes, BitsPerKey: p.BitsPerKey, BandRate: p.BandRate,
		KeepGenerations: c.KeepGenerations, ForgetAfter: time.Duration(c.ForgetAfter).Seconds(),
		GenerationCapacity: p.GenerationCapacity, Memory: p.Memory, Disk: p.Disk, DiskToFold: p.DiskToFold,
		ClassicBytes: p.ClassicBytes, HashTableBytes: p.HashTableBytes,
	}
}

// day is the number of seconds in a day.
const day = 24 * 60 * 60

// writeRemembered writes how long the index remembers, if that is limited.
func (p plannedFilters) writeRemembered(t io.Writer, documents uint64) {
	switch n := uint64(p.KeepGenerations); {
	case p.ForgetAfter > 0:
		fmt.Fprintf(t, "remembered\t%.3g days at least, %.3g at most, in %d generations of %s\n",
			p.ForgetAfter/day, p.ForgetAfter/day*float64(n)/float64(n-1), n, units.Bytes(p.Memory/n))
	case n > 0:
		fmt.Fprintf(t, "remembered\tat least the last %s, at most %s, in %d generations of %s\n",
			units.Of(documents, "record"), units.Count(p.GenerationCapacity*n), n, units.Bytes(p.Memory/n))
	}
}

// write writes what the filters are, and what other structures would take in memory.
func (p plannedFilters) write(t io.Writer) {
	if p.Filter == bloomlsh.FilterTagged {
		fmt.Fprintf(t, "filter\t%s, %d bytes an entry, %.1f bits a key, names one particular group by accident at a "+
			"rate of %.2g\n", p.Filter, p.Probes, p.BitsPerKey, p.BandRate)
	} else {
		fmt.Fprintf(t, "filter\t%s, %d probes, %.1f bits a key, wrong at a rate of %.2g\n", p.Filter, p.Probes,
			p.BitsPerKey, p.BandRate)
	}
	fmt.Fprintf(t, "beside\t%s as classic Bloom filters, %s as a MinHashLSH hash table\n",
		units.Bytes(p.ClassicBytes), units.Bytes(p.HashTableBytes))
}

// plannedMemories says what memories that know the original take, and sketch files.
type plannedMemories struct {
	ExactPreset    string `json:"exact_preset,omitempty"` // the preset, if a run with it uses the exact memory
	ExactBytes     uint64 `json:"exact_memory_bytes"`
	ExactLeast     uint64 `json:"exact_max_memory_bytes"` // the minimum of --max-memory
	ExactDisk      uint64 `json:"exact_disk_bytes"`       // in files, with that --max-memory
	ExactSets      uint64 `json:"exact_set_bytes"`        // of sets of usualShingles, which are always in files
	SamplesBytes   uint64 `json:"samples_memory_bytes"`
	SamplesLeast   uint64 `json:"samples_max_memory_bytes"` // the minimum of --max-memory
	GroupsBytes    uint64 `json:"groups_memory_bytes"`
	GroupsLeast    uint64 `json:"groups_max_memory_bytes"` // the minimum of --max-memory
	GroupsDisk     uint64 `json:"groups_disk_bytes"`       // in files, with that --max-memory
	SketchBytes    uint64 `json:"sketch_bytes"`            // of sketch files
	SignatureBytes uint64 `json:"sketch_with_signatures_bytes"`
}

// planMemories plans the memories other than an index with that rule.
func planMemories(c *config.Plan, rule lsh.Banding) (p plannedMemories, err error) {
	exactly, err := exactParams(c, c.Candidates)
	if err != nil {
		return p, err
	}
	exactly.Sets, exactly.SlotBits = true, signatures.SlotBitsWithSets(exactly.NumPerm)
	signed, err := exactParams(c, c.Signatures)
	if err != nil {
		return p, err
	}
	if c.OfExact {
		p.ExactPreset = c.Preset
	}
	documents := uint64(c.Documents)
	each, memories := divided(documents, uint64(c.KeepGenerations))
	exact, err := signatures.PlanIndex(exactly, each)
	if err != nil {
		return p, err
	}
	p.ExactBytes, p.ExactLeast, p.ExactDisk = memories*exact.Memory, memories*exact.LeastMemory, memories*exact.Disk
	samples, least := method.DefaultSampleMemory(each)
	p.SamplesBytes, p.SamplesLeast = memories*samples, memories*least
	groups, err := signatures.PlanGroups(exactly, documents)
	p.GroupsBytes, p.GroupsLeast, p.GroupsDisk = groups.Memory, groups.LeastMemory, groups.Disk
	p.SketchBytes = run.SketchBytes(documents, rule.Bands, 0)
	p.ExactSets = documents * uint64(8*exactly.SetForm().Words(usualShingles))
	p.SignatureBytes = run.SketchBytes(documents, signed.Bands,
		run.SignatureWords(sketch.Params{NumPerm: signed.NumPerm}))
	return p, err
}

// usualShingles is the number of different shingles of a text of 2 KB.
const usualShingles = 300

// exactParams returns how the exact memory would find pairs with that tuning.
func exactParams(c *config.Plan, tuning spec.Tuning) (signatures.Params, error) {
	candidates, err := tuning.Banding()
	return signatures.Params{
		NumPerm: candidates.NumPerm, Bands: candidates.Bands, Rows: candidates.Rows, Votes: candidates.Votes,
		Threshold: c.Threshold,
	}, err
}

// divided returns how many memories that know originals there are, and how many documents each has.
// A memory that forgets consists of several, which share --max-memory.
func divided(documents, keep uint64) (each, memories uint64) {
	if keep < 2 {
		return documents, 1
	}
	return (documents + keep - 2) / (keep - 1), keep
}

func (p plannedMemories) write(t io.Writer, documents uint64) {
	fmt.Fprintf(t, "--memory exact\tat most %s, %.0f bytes a record\n",
		units.Bytes(p.ExactBytes), float64(p.ExactBytes)/float64(documents))
	fmt.Fprintf(t, "\twith --max-memory %s or more: the rest on disk, at most %s\n",
		units.Bytes(p.ExactLeast), units.Bytes(p.ExactDisk))
	fmt.Fprintf(t, "\ttexts on disk: %s for %d shingles a record; none with --verify signature\n",
		units.Bytes(p.ExactSets), usualShingles)
	fmt.Fprintf(t, "--sketch fracminhash\tat most %s, %.0f bytes a record\n",
		units.Bytes(p.SamplesBytes), float64(p.SamplesBytes)/float64(documents))
	fmt.Fprintf(t, "\twith --max-memory %s or more: the rest on disk\n", units.Bytes(p.SamplesLeast))
	fmt.Fprintf(t, "groups\tat most %s, %.0f bytes a record\n",
		units.Bytes(p.GroupsBytes), float64(p.GroupsBytes)/float64(documents))
	fmt.Fprintf(t, "\twith --max-memory %s or more: the rest on disk, at most %s\n",
		units.Bytes(p.GroupsLeast), units.Bytes(p.GroupsDisk))
	fmt.Fprintf(t, "sketch files\t%s; %s with --signatures, for groups\n", units.Bytes(p.SketchBytes),
		units.Bytes(p.SignatureBytes))
}

// plannedAuto says where --memory auto stops being exact under --max-memory, and with which filters
// it continues.
type plannedAuto struct {
	AutoSignatures uint64 `json:"auto_exact_signatures,omitempty"`
	AutoBands      int    `json:"auto_bands,omitempty"`
	AutoRows       int    `json:"auto_rows,omitempty"`
	AutoVotes      int    `json:"auto_votes,omitempty"`
	AutoBytes      uint64 `json:"auto_filter_bytes,omitempty"`
}

// planAuto plans filters like those of all documents, but by the rule of --memory auto.
func planAuto(c *config.Plan, filters bloomlsh.Params) (p plannedAuto, err error) {
	exactly, err := exactParams(c, c.Signatures)
	if err != nil {
		return p, err
	}
	rule := c.AfterLimit
	filters.Bands, filters.Votes = rule.Bands, rule.Votes
	after, err := bloomlsh.PlanIndex(filters, rule.Rows)
	exactly.NumPerm, exactly.SlotBits = rule.NumPerm, 8 // the filters take their keys from these
	return plannedAuto{
		AutoSignatures: max(1, exactly.CapacityOf(uint64(c.MemoryLimit))),
		AutoBands:      rule.Bands, AutoRows: rule.Rows, AutoVotes: rule.Votes, AutoBytes: after.Memory,
	}, err
}

func (p plannedAuto) write(t io.Writer) {
	if p.AutoSignatures > 0 {
		fmt.Fprintf(t, "--memory auto\texact for the first %s; then %d of %d bands of %d rows, with "+
			"filters of %s\n",
			units.Of(p.AutoSignatures, "signature"), p.AutoVotes, p.AutoBands, p.AutoRows, units.Bytes(p.AutoBytes))
	}
}
