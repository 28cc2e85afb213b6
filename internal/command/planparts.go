package command

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/bloomlsh/lsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/jsonout"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/internal/usage"
)

// plannedParts is what `plan --method --json` writes. Sizes are bytes.
type plannedParts struct {
	Method     string  `json:"method"`
	Documents  uint64  `json:"documents"`
	Parts      uint64  `json:"parts"`
	Filter     string  `json:"filter"`
	Probes     int     `json:"probes"`
	BitsPerKey float64 `json:"bits_per_key"`
	FPRate     float64 `json:"fp_rate"` // of an unseen part
	// for n-grams: the parts of a record of 2 KB, and how likely errors of the filter remove such a
	// record if it is unseen
	PerRecord  int     `json:"parts_per_record,omitempty"`
	FPRecord   float64 `json:"fp_record,omitempty"`
	Memory     uint64  `json:"memory"`
	Disk       uint64  `json:"disk"`
	DiskToFold uint64  `json:"disk_to_fold"`
}

// planParts reports what the memory of a method of parts would cost.
func planParts(c *config.Plan, out io.Writer) error {
	p, err := bloomlsh.PlanIndex(bloomlsh.Params{
		Bands: 1, Votes: 1, Capacity: uint64(c.Parts), FPRate: c.FPRate, Filter: c.Filter, OnFull: c.OnFull,
		KeepGenerations: c.KeepGenerations, ForgetAfter: time.Duration(c.ForgetAfter),
	}, 1)
	if err != nil {
		return usage.Error(err)
	}
	result := plannedParts{
		Method: c.Method, Documents: uint64(c.Documents), Parts: p.Capacity, Filter: p.Filter, Probes: p.Probes,
		BitsPerKey: p.BitsPerKey, FPRate: p.FPRate, Memory: p.Memory, Disk: p.Disk, DiskToFold: p.DiskToFold,
	}
	if err := result.addRecords(c); err != nil {
		return usage.Error(err)
	}
	if c.JSON {
		return jsonout.WriteIndented(out, result)
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "documents\t%s\n", units.Count(result.Documents))
	fmt.Fprintf(t, "parts\t%s, by %s\n", units.Count(result.Parts), result.Method)
	fmt.Fprintf(t, "filter\t%s, %d probes, %.1f bits a part, wrong at a rate of %.2g\n", result.Filter, result.Probes,
		result.BitsPerKey, result.FPRate)
	if result.PerRecord > 0 {
		fmt.Fprintf(t, "an unseen record\tof %d parts, as of 2 KB, is removed with probability %.2g\n",
			result.PerRecord, result.FPRecord)
	}
	fmt.Fprintf(t, "memory\t%s\n", units.Bytes(result.Memory))
	fmt.Fprintf(t, "disk\t%s, %s while its log is folded and until the next run ends\n",
		units.Bytes(result.Disk), units.Bytes(result.DiskToFold))
	return t.Flush()
}

// addRecords adds how often a record is removed by errors of the filter alone, although none of its
// n-grams was seen.
func (p *plannedParts) addRecords(c *config.Plan) error {
	if c.Method == spec.MethodExact {
		return nil
	}
	params, err := c.PartParams()
	if err != nil || !params.HasNGrams() {
		return err
	}
	p.PerRecord = params.PartsPerRecord()
	enough := lsh.Curve{Bands: p.PerRecord, Rows: 1, Votes: params.Enough(p.PerRecord)}
	p.FPRecord = enough.At(p.FPRate)
	return nil
}
