package command

import (
	"fmt"
	"io"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/config/values"
	"github.com/mithril-stream/mithril-stream/internal/method/filters"
	"github.com/mithril-stream/mithril-stream/internal/units"
)

// A limitPlan says what a run with --index would do under --max-memory.
type limitPlan struct {
	Limit           uint64 `json:"limit"`
	Refused         string `json:"refused,omitempty"` // why there would be no such run
	Generations     int    `json:"generations,omitempty"`
	GenerationBytes uint64 `json:"generation_bytes,omitempty"`
	InMemory        int    `json:"generations_in_memory,omitempty"`
	// of texts of usualText bytes, for which generations on disk are read once
	GroupRecords uint64 `json:"records_read_ahead,omitempty"`
	GroupBytes   uint64 `json:"bytes_read_for_them,omitempty"`
	// at most, since this is how long it takes to read
	RecordsPerSecond     uint64 `json:"records_per_second,omitempty"`      // from a disk of diskRate
	RecordsPerSecondNVMe uint64 `json:"records_per_second_nvme,omitempty"` // from one of nvmeRate
}

// Texts that are planned for, in bytes, and disks, in bytes a second: a virtual one that was
// measured with one reader, and an NVMe drive.
const (
	usualText = 2048
	diskRate  = 900e6
	nvmeRate  = 7e9
)

// A gap of this many pages between needed ones is read too, rather than starting a second read.
const pagesBetween, pageSize = 8, 4096

// planLimit divides an index as a run does that makes it.
func planLimit(c *config.Plan, p bloomlsh.Params, rows int) *limitPlan {
	l := &limitPlan{Limit: uint64(c.MemoryLimit)}
	p.Memory = l.Limit
	index, err := bloomlsh.PlanIndex(filters.Divide(p, filters.ShareOf(l.Limit, p.FilterBytes())), rows)
	if refused := c.CheckLimit(); refused != nil {
		err = refused
	}
	if err != nil {
		l.Refused = err.Error()
		return l
	}
	l.Generations, l.InMemory = index.AllGenerations, index.InMemory
	l.GenerationBytes = index.Memory / uint64(index.AllGenerations)
	if l.InMemory < l.Generations {
		l.readAhead(c.MemoryLimit, index.Bands)
	}
	return l
}

// readAhead plans the reading of generations on disk.
func (l *limitPlan) readAhead(limit values.Size, bands int) {
	onDisk := uint64(l.Generations - l.InMemory)
	l.GroupRecords = groupOf(limit, bands)
	l.GroupBytes = onDisk * min(l.GenerationBytes, l.GroupRecords*uint64(bands)*pagesBetween*pageSize)
	group := float64(l.GroupRecords) / float64(l.GroupBytes)
	l.RecordsPerSecond, l.RecordsPerSecondNVMe = uint64(group*diskRate), uint64(group*nvmeRate)
}

// groupOf is how many records are judged together: three quarters of those that are read ahead,
// with their keys, which are there twice.
func groupOf(limit values.Size, bands int) uint64 {
	const noted, key = 128, 16 // bytes: what is noted of a record, a band key
	return uint64(filters.AheadOf(uint64(limit))) * 3 / 4 / uint64(usualText+noted+2*key*bands)
}

func (l *limitPlan) write(out io.Writer) {
	switch {
	case l == nil:
	case l.Refused != "":
		fmt.Fprintf(out, "--max-memory %s\tis refused with --index: %s\n", units.Bytes(l.Limit), l.Refused)
	case l.InMemory == l.Generations:
		fmt.Fprintf(out, "--max-memory %s\tthe whole index fits: nothing changes\n",
			units.Bytes(l.Limit))
	default:
		fmt.Fprintf(out, "--max-memory %s\t%d generations of %s, %d of them in memory\n", units.Bytes(l.Limit),
			l.Generations, units.Bytes(l.GenerationBytes), l.InMemory)
		fmt.Fprintf(out, "\tthe others are read for %s of 2 KB at once, %s each time: at most %s records/s\n",
			units.Of(rounded(l.GroupRecords), "record"), units.Bytes(l.GroupBytes),
			units.Count(rounded(l.RecordsPerSecond)))
		fmt.Fprintf(out, "\tfrom a disk of .9 GB/s, %s from one of 7 GB/s; in small groups far fewer "+
			"(docs/reference/index.md)\n",
			units.Count(rounded(l.RecordsPerSecondNVMe)))
	}
}

// rounded keeps two digits.
func rounded(n uint64) uint64 {
	unit := uint64(1)
	for n/unit >= 100 {
		unit *= 10
	}
	return (n + unit/2) / unit * unit
}
