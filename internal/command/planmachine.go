package command

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/units"
)

// A machine is where a run would take place.
type machine struct {
	Cores  int    `json:"cores"`
	Memory uint64 `json:"memory,omitempty"` // in bytes; 0 if unknown
}

// machineOf returns the machine to plan for, or nil without --cores.
func machineOf(c *config.Plan) *machine {
	if c.Cores == 0 {
		return nil
	}
	return &machine{Cores: c.Cores, Memory: uint64(c.Memory)}
}

// onMachine says how long a run would take on a machine.
type onMachine struct {
	machine
	RecordNanos  float64 `json:"record_cpu_ns"` // of all stages
	OrderedNanos float64 `json:"ordered_ns"`    // of the stage that is not divided: the committer
	RecordBytes  float64 `json:"record_bytes"`  // decompressed
	Rate         float64 `json:"records_per_second"`
	Hours        float64 `json:"hours"`
	Fits         bool    `json:"memory_fits"` // the index fits, or the memory is unknown

	documents, needed uint64
}

// planOn extrapolates the cost of the sample's records. One goroutine commits the records in order,
// so the run is no faster than that one, however many cores there are.
func planOn(m machine, cost recordCost, documents, memory uint64, indexNanos float64) *onMachine {
	index := max(cost.judge, indexNanos) // a small index stays in the caches of the processor
	p := &onMachine{
		machine: m, RecordNanos: cost.all - cost.judge + index, OrderedNanos: cost.ordered - cost.judge + index,
		RecordBytes: cost.bytes, documents: documents, needed: memory,
		Fits: m.Memory == 0 || memory <= m.Memory,
	}
	p.RecordNanos = max(p.RecordNanos, p.OrderedNanos)
	p.Rate = 1e9 / max(p.RecordNanos/float64(m.Cores), p.OrderedNanos)
	p.Hours = float64(documents) / p.Rate / 3600
	return p
}

// isOrdered reports whether more cores would not help.
func (p *onMachine) isOrdered() bool { return p.OrderedNanos > p.RecordNanos/float64(p.Cores) }

func (p *onMachine) write(out io.Writer) error {
	if p == nil {
		return nil
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "machine\t%s", units.Of(uint64(p.Cores), "core"))
	if p.Memory > 0 {
		fmt.Fprintf(t, ", %s of memory", units.Bytes(p.Memory))
	}
	fmt.Fprintf(t, "\ntime\tabout %.2g hours, within a factor of two: %s records/s\n", p.Hours,
		units.Count(uint64(p.Rate)))
	fmt.Fprintf(t, "\ta record of the sample takes %.2f µs of CPU time here, with the index of that size; %.2f of "+
		"them in order, on one core\n", p.RecordNanos/1e3, p.OrderedNanos/1e3)
	if p.isOrdered() {
		fmt.Fprintf(t, "\tmore than %.0f cores are no faster\n", p.RecordNanos/p.OrderedNanos)
	}
	fmt.Fprintf(t, "input\t%s, read at %s/s if the disk or network can: else it takes longer\n",
		units.Bytes(uint64(p.RecordBytes*float64(p.documents))), units.Bytes(uint64(p.RecordBytes*p.Rate)))
	if !p.Fits {
		fmt.Fprintf(t, "\tthe index needs %s: it does not fit; take a larger machine, --filter paged, or "+
			"--max-memory, which costs time\n", units.Bytes(p.needed))
	}
	return t.Flush()
}
