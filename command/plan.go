package command

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"text/tabwriter"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/lsh"
)

// Bits of a band key.
const (
	hashKeyBits = 128
	sumKeyBits  = 61
)

// planned is what `plan --json` writes. Shares and rates are probabilities; sizes are bytes.
type planned struct {
	Documents             uint64  `json:"documents"`
	Threshold             float64 `json:"threshold"`
	NumPerm               int     `json:"num_perm"`
	Bands                 int     `json:"bands"`
	Rows                  int     `json:"rows"`
	CaughtAtThreshold     float64 `json:"caught_at_threshold"`
	Filter                string  `json:"filter"`
	Probes                int     `json:"probes"`
	BitsPerKey            float64 `json:"bits_per_key"`
	Memory                uint64  `json:"memory"`
	Disk                  uint64  `json:"disk"`
	DiskToFold            uint64  `json:"disk_to_fold"`
	ClassicBytes          uint64  `json:"classic_bloom_bytes"`
	HashTableBytes        uint64  `json:"hash_table_bytes"`
	ExactBytes            uint64  `json:"exact_memory_bytes"`
	NanosPerRecord        float64 `json:"index_nanoseconds_a_record"`
	ExpectedFalseRemovals float64 `json:"expected_false_removals"`
	LSHFalsePositives     float64 `json:"fp_lsh"`
	LSHFalseNegatives     float64 `json:"fn_lsh"`
	FilterRate            float64 `json:"fp_filters"`
	CollisionRate         float64 `json:"fp_collisions"`
	FalsePositives        float64 `json:"fp"`
	FalseNegatives        float64 `json:"fn"`
}

func plan(c *config.Plan, out io.Writer) error {
	bands, rows, err := tune(c.TuneFlags)
	if err != nil {
		return config.Usage(err)
	}
	params := bloomlsh.Params{
		Bands: bands, Capacity: uint64(c.Documents), FPRate: c.FPRate,
		Filter: c.Filter, Remember: bloomlsh.RememberAll, OnFull: c.OnFull,
	}
	p, err := bloomlsh.PlanIndex(params, rows)
	if err != nil {
		return config.Usage(err)
	}
	exact, err := lsh.PlanIndex(
		lsh.Params{NumPerm: c.NumPerm, Bands: bands, Rows: rows, Votes: 1, Threshold: c.Threshold}, uint64(c.Documents))
	if err != nil {
		return config.Usage(err)
	}
	curve := bloomlsh.Curve{Bands: bands, Rows: rows, Threshold: c.Threshold}
	if c.SVG != "" {
		if err := writeSVG(c.SVG, curve); err != nil {
			return err
		}
	}
	bits := hashKeyBits
	if c.BandKey == "sum" {
		bits = sumKeyBits
	}
	m := bloomlsh.ModelErrors(params, rows, c.Threshold, uint64(c.Documents), bits)
	result := planned{
		Documents: uint64(c.Documents), Threshold: c.Threshold, NumPerm: c.NumPerm, Bands: bands, Rows: rows,
		CaughtAtThreshold: curve.At(c.Threshold), Filter: c.Filter, Probes: p.Probes, BitsPerKey: p.BitsPerKey,
		Memory: p.Memory, Disk: p.Disk, DiskToFold: p.DiskToFold, ClassicBytes: p.ClassicBytes, HashTableBytes: p.HashTableBytes,
		ExactBytes:     exact.Memory,
		NanosPerRecord: p.NanosPerRecord, ExpectedFalseRemovals: p.ExpectedFalseRemovals,
		LSHFalsePositives: m.LSHFalsePositives, LSHFalseNegatives: m.LSHFalseNegatives, FilterRate: m.Filters, CollisionRate: m.Collisions,
		FalsePositives: m.FalsePositives, FalseNegatives: m.FalseNegatives,
	}
	if c.JSON {
		return writeJSON(out, result)
	}
	return errors.Join(writePlan(out, result), curve.WriteText(out, 72, 16))
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
	fmt.Fprintf(t, "documents\t%s\n", count(p.Documents))
	fmt.Fprintf(t, "bands × rows\t%d × %d of %d permutations, threshold %g\n", p.Bands, p.Rows, p.NumPerm, p.Threshold)
	fmt.Fprintf(t, "a pair at the threshold\tis caught with probability %.3f\n", p.CaughtAtThreshold)
	fmt.Fprintf(t, "filter\t%s, %d probes, %.1f bits a key\n", p.Filter, p.Probes, p.BitsPerKey)
	fmt.Fprintf(t, "memory\t%s\n", decimalBytes(p.Memory))
	fmt.Fprintf(t, "disk\t%s, %s while its log is folded\n", decimalBytes(p.Disk), decimalBytes(p.DiskToFold))
	fmt.Fprintf(t, "beside\t%s as classic Bloom filters, %s as a MinHashLSH hash table\n", decimalBytes(p.ClassicBytes), decimalBytes(p.HashTableBytes))
	fmt.Fprintf(t, "--memory exact\tat most %s, %.0f bytes a record\n",
		decimalBytes(p.ExactBytes), float64(p.ExactBytes)/float64(p.Documents))
	fmt.Fprintf(t, "index speed\tabout %s records/s on one core\n", count(uint64(math.Round(1e6/p.NanosPerRecord))*1000))
	fmt.Fprintf(t, "unseen records removed\t%.3g expected over the whole run, by the filters\n", p.ExpectedFalseRemovals)
	fmt.Fprintf(t, "\nerror model (arXiv 2411.04257)\t\n")
	fmt.Fprintf(t, "false positives of the bands (1)\t%.4g\n", p.LSHFalsePositives)
	fmt.Fprintf(t, "false negatives of the bands (2)\t%.4g\n", p.LSHFalseNegatives)
	fmt.Fprintf(t, "the full filters\t%.4g\n", p.FilterRate)
	fmt.Fprintf(t, "equal keys of unlike bands\t%.4g\n", p.CollisionRate)
	fmt.Fprintf(t, "false positives, all (3)\t%.4g\n", p.FalsePositives)
	fmt.Fprintf(t, "false negatives, all (4)\t%.4g\n\n", p.FalseNegatives)
	return t.Flush()
}
