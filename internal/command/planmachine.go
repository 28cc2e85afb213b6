package command

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/units"
)

// pricesOf says which prices instanceFamilies has.
const pricesOf = "Amazon's list prices for Linux in us-east-1, June 2026, without discounts, storage and transfer"

// An instanceFamily is a family of rented machines, whose memory and price grow with their vCPUs.
type instanceFamily struct {
	name   string
	gib    uint64  // of memory for each vCPU
	dollar float64 // per hour for each vCPU
	most   int     // vCPUs
}

var instanceFamilies = []instanceFamily{
	{"c6i", 2, .0425, 128}, {"m6i", 4, .048, 128}, {"r6i", 8, .063, 128},
	{"c7g", 2, .03625, 64}, {"m7g", 4, .0408, 64}, {"r7g", 8, .05355, 64},
}

var instanceSizes = []struct {
	name  string
	vCPUs int
}{
	{"large", 2}, {"xlarge", 4}, {"2xlarge", 8}, {"4xlarge", 16}, {"8xlarge", 32}, {"12xlarge", 48},
	{"16xlarge", 64}, {"24xlarge", 96}, {"32xlarge", 128},
}

// A machine is where a run would take place.
type machine struct {
	Name   string  `json:"name,omitempty"`
	Cores  int     `json:"cores"`
	Memory uint64  `json:"memory,omitempty"` // bytes; 0 if nothing is known of it
	Dollar float64 `json:"dollars_per_hour,omitempty"`
}

// machineOf returns the machine to plan for, and nil without --on and --cores.
func machineOf(c *config.Plan) (*machine, error) {
	if c.On == "" {
		if c.Cores == 0 {
			return nil, nil
		}
		return &machine{Cores: c.Cores, Memory: uint64(c.Memory)}, nil
	}
	family, size, _ := strings.Cut(c.On, ".")
	for _, f := range instanceFamilies {
		for _, s := range instanceSizes {
			if f.name == family && s.name == size && s.vCPUs <= f.most && (s.vCPUs < 96 || f.most == 128) {
				return &machine{c.On, s.vCPUs, uint64(s.vCPUs) * f.gib << 30, float64(s.vCPUs) * f.dollar}, nil
			}
		}
	}
	var names []string
	for _, f := range instanceFamilies {
		names = append(names, f.name)
	}
	slices.Sort(names)
	return nil, fmt.Errorf("--on %s is not in the table, which has the sizes large to 32xlarge of %s: give --cores N "+
		"and --memory SIZE", c.On, strings.Join(names, ", "))
}

// onMachine says how long a run would take on a machine, and at what price.
type onMachine struct {
	machine
	RecordNanos  float64 `json:"record_cpu_ns"` // of all stages
	OrderedNanos float64 `json:"ordered_ns"`    // of the stage that does not divide: the committer
	RecordBytes  float64 `json:"record_bytes"`  // decompressed
	Rate         float64 `json:"records_per_second"`
	Hours        float64 `json:"hours"`
	Dollars      float64 `json:"dollars,omitempty"`
	Fits         bool    `json:"memory_fits"` // what the index needs, where the memory is known

	documents, needed uint64
}

// planOn extrapolates what the records of the sample cost. One goroutine commits the records in
// order: however many cores there are, the run is no faster than it.
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
	p.Dollars = p.Hours * m.Dollar
	return p
}

// isOrdered reports whether more cores would not help.
func (p *onMachine) isOrdered() bool { return p.OrderedNanos > p.RecordNanos/float64(p.Cores) }

func (p *onMachine) write(out io.Writer) error {
	if p == nil {
		return nil
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	name := ""
	if p.Name != "" {
		name = p.Name + ", "
	}
	fmt.Fprintf(t, "machine\t%s%s", name, units.Of(uint64(p.Cores), "core"))
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
	if p.Dollar > 0 {
		fmt.Fprintf(t, "price\t$%.2f at $%.3f an hour: %s\n", p.Dollars, p.Dollar, pricesOf)
	}
	fmt.Fprintln(t)
	return t.Flush()
}
