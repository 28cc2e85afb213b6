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
	// for texts of usualText bytes, which share one reading of the generations on disk
	GroupRecords uint64 `json:"records_read_ahead,omitempty"`
	GroupBytes   uint64 `json:"bytes_read_for_them,omitempty"`
	// at most, since reading alone takes so long
	RecordsPerSecond     uint64 `json:"records_per_second,omitempty"`      // from a disk of diskRate
	RecordsPerSecondNVMe uint64 `json:"records_per_second_nvme,omitempty"` // from one of nvmeRate
}

// The size of the texts that are planned for, in bytes, and the speed of disks, in bytes a second:
// of a virtual one, measured with one reader, and of an NVMe drive.
const (
	usualText = 2048
	diskRate  = 900e6
	nvmeRate  = 7e9
)

// A gap of this many pages between needed ones is read as well, to avoid a second read.
const pagesBetween, pageSize = 8, 4096

// planLimit divides an index as the run that creates it would.
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

// groupOf returns how many records are judged together: three quarters of those that are read
// ahead, with two copies of their keys.
func groupOf(limit values.Size, bands int) uint64 {
	const noted, key = 128, 16 // bytes: what is noted about a record, and a band key
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

// rounded rounds a number to two digits.
func rounded(n uint64) uint64 {
	unit := uint64(1)
	for n/unit >= 100 {
		unit *= 10
	}
	return (n + unit/2) / unit * unit
}
