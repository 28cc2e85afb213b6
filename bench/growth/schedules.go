package main

import (
	"fmt"
	"math"
	"os"
	"text/tabwriter"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
)

// rule is the default of the program, and firstCapacity what it plans a pipe for.
var rule = bloomlsh.Banding{Bands: 32, Rows: 8, Votes: 8}

const firstCapacity, promised = 1e6, 1e-8

// A schedule is a way to open further generations: how many times as large as the one before each
// is, where the last factor goes on, and which share of a band's rate each gets.
type schedule struct {
	name    string
	factors []float64
	share   func(generation int) float64
}

// thirds is what the program does in an index with a plan, and quarters in one that grows fourfold.
func thirds(i int) float64 {
	if i == 0 {
		return plannedShare
	}
	return math.Pow(2./3, float64(i-1)) / 12
}

func quarters(i int) float64 { return math.Ldexp(plannedShare, -2*i) }

// plannedShare is what filters of a plan get.
const plannedShare = .75

// unplanned gives the first generation a share, and the others i/2ⁱ⁺¹ of the rest: the program does
// it with a quarter.
func unplanned(first float64) func(int) float64 {
	return func(i int) float64 {
		if i == 0 {
			return first
		}
		return (1 - first) * math.Ldexp(float64(i), -i-1)
	}
}

var schedules = []schedule{
	{"3, the first a quarter of the rate (the program's)", []float64{3}, unplanned(.25)},
	{"so, half", []float64{3}, unplanned(.5)},
	{"so, ¾", []float64{3}, unplanned(plannedShare)},
	{"3, 2, 2, …, the first a quarter", []float64{3, 2}, unplanned(.25)},
	{"so, half", []float64{3, 2}, unplanned(.5)},
	{"so, ¾, and then a third of what is left (where a plan is exceeded)", []float64{3, 2}, thirds},
	{"4, ¾ and so on (growth fourfold)", []float64{4}, quarters},
	{"2, the first a quarter", []float64{2}, unplanned(.25)},
	{"4, 2, 2, …, so", []float64{4, 2}, unplanned(.25)},
	{"4, 3, 2, 2, …, so", []float64{4, 3, 2}, unplanned(.25)},
	{"8, 4, 2, 2, …, so", []float64{8, 4, 2}, unplanned(.25)},
}

// cost is what records of which none is a copy take: bytes of filters, and how many older
// generations a record is looked up in, on average.
func (s schedule) cost(records float64) (bytes, asked float64, err error) {
	capacity := float64(firstCapacity)
	for i, left := 0, records; left > 0; i++ {
		taken, err := filters(capacity, rule.KeyRate(promised)*s.share(i))
		if err != nil {
			return 0, 0, err
		}
		here := min(left, capacity)
		bytes, asked, left = bytes+taken, asked+here*float64(i)/records, left-here
		capacity *= s.factors[min(i, len(s.factors)-1)]
	}
	return bytes, asked, nil
}

// filters is what those of a generation take whose bands err at a rate. A plan takes the rate of
// records, and no lower one than 1e-14: it is asked for two votes, which lays out bands as eight
// do.
func filters(capacity, band float64) (bytes float64, err error) {
	two := bloomlsh.Banding{Bands: rule.Bands, Rows: 1, Votes: 2}
	plan, err := bloomlsh.PlanIndex(bloomlsh.Params{Bands: two.Bands, Votes: two.Votes, Capacity: uint64(capacity),
		FPRate: two.Catch(band), OnFull: bloomlsh.OnFullRefuse, Filter: bloomlsh.FilterPaged}, rule.Rows)
	return float64(plan.Memory), err
}

// overPlanned is cost with the bytes over those of filters that were planned for the records.
func (s schedule) overPlanned(records float64) (memory, asked float64, err error) {
	planned, err := filters(records, rule.KeyRate(promised)*plannedShare)
	if err != nil {
		return 0, 0, err
	}
	bytes, asked, err := s.cost(records)
	return bytes / planned, asked, err
}

// compare prints what schedules cost at some sizes, beside filters that were planned for the size:
// in the mean (geometric) and at worst over sizes from two to a hundred times the first plan.
func compare() error {
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "capacity over that of the one before\tmemory over planned: 4 M\t10 M\t39 M\tmean\tworst"+
		"\tolder ones asked: 4 M\t10 M\t39 M\tmean")
	for _, s := range schedules {
		var over, asked [3]float64
		for i, records := range []float64{4e6, 10e6, 39e6} {
			var err error
			if over[i], asked[i], err = s.overPlanned(records); err != nil {
				return err
			}
		}
		logs, all, worst, steps := 0.0, 0.0, 0.0, 0
		for records := 2. * firstCapacity; records <= 100*firstCapacity; records *= 1.02 {
			m, a, err := s.overPlanned(records)
			if err != nil {
				return err
			}
			logs, all, worst, steps = logs+math.Log(m), all+a, max(worst, m), steps+1
		}
		n := float64(steps)
		fmt.Fprintf(table, "%s\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\n", s.name, over[0],
			over[1], over[2], math.Exp(logs/n), worst, asked[0], asked[1], asked[2], all/n)
	}
	return table.Flush()
}
