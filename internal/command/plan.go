package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/bloomlsh/lsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/jsonout"
	"github.com/mithril-stream/mithril-stream/internal/usage"
)

// planned is what `plan --json` writes: its parts in this order. Shares and rates are
// probabilities; sizes are bytes.
type planned struct {
	Documents uint64 `json:"documents"`
	plannedRule
	plannedQuality
	plannedFilters
	plannedMemories
	plannedAuto
	UnderLimit *limitPlan `json:"memory_limit,omitempty"`
	plannedErrors
	Sample  *sampled   `json:"sample,omitempty"`  // with --sample
	Machine *onMachine `json:"machine,omitempty"` // with --on or --cores
}

// plan reports the size and the error rates of an index of that many documents.
func plan(ctx context.Context, c *config.Plan, std files.Streams) error {
	if c.Method != "" {
		return planParts(c, std.Out)
	}
	rule, err := c.Banding()
	if err != nil {
		return usage.Error(err)
	}
	profile, err := lsh.ParseProfile(c.Profile)
	if err != nil {
		return usage.Error(err)
	}
	params := bloomlsh.Params{
		Bands: rule.Bands, Votes: rule.Votes, Capacity: uint64(c.Documents), FPRate: c.FPRate,
		Filter: c.Filter, OnFull: c.OnFull, KeepGenerations: c.KeepGenerations,
		ForgetAfter: time.Duration(c.ForgetAfter),
	}
	index, err := bloomlsh.PlanIndex(params, rule.Rows)
	if err != nil {
		return usage.Error(err)
	}
	memories, err := planMemories(c, rule)
	if err != nil {
		return usage.Error(err)
	}
	curve := lsh.Curve{Bands: rule.Bands, Rows: rule.Rows, Votes: rule.Votes, Threshold: c.Threshold}
	if c.SVG != "" {
		if err := writeSVG(c.SVG, curve, std); err != nil {
			return err
		}
	}
	result := planned{
		Documents:       uint64(c.Documents),
		plannedRule:     planRule(rule, c.Threshold, curve),
		plannedQuality:  planQuality(rule, c, profile, index.Filter),
		plannedFilters:  planFilters(index, c),
		plannedMemories: memories,
		plannedErrors:   planErrors(c, params, rule.Rows, index),
	}
	if c.MemoryLimit > 0 {
		result.UnderLimit = planLimit(c, params, rule.Rows)
		if result.plannedAuto, err = planAuto(c, params); err != nil {
			return usage.Error(err)
		}
	}
	if len(c.Sample) > 0 {
		params.Filter = index.Filter
		if err := result.addSample(ctx, c, std, params); err != nil {
			return err
		}
	}
	if c.JSON {
		return jsonout.WriteIndented(std.Out, result)
	}
	return result.write(std.Out, c.Explain, curve)
}

// addSample judges the sample, and measures its cost for the machine that is planned for.
func (p *planned) addSample(
	ctx context.Context, c *config.Plan, std files.Streams, index bloomlsh.Params,
) (err error) {
	m := machineOf(c)
	if p.Sample, err = planSample(ctx, c, std, index); err != nil || m == nil {
		return err
	}
	cost, err := measureCost(ctx, c, std, index)
	if err != nil {
		return err
	}
	p.Machine = planOn(*m, cost, p.Documents, p.plannedFilters.Memory, p.NanosPerRecord)
	return nil
}

func writeSVG(path string, curve lsh.Curve, std files.Streams) error {
	f, err := files.CreateResult(nil, path, std)
	if err != nil {
		return err
	}
	err = curve.WriteSVG(f)
	return files.NameUnfinished(errors.Join(err, f.Finish(err == nil, false)), f)
}

// write writes the plan for people: the answer, whatever else was asked for and, with explain, the
// underlying model and its curve.
func (p planned) write(out io.Writer, explain bool, curve lsh.Curve) error {
	err := p.writeAnswer(out)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	p.plannedFilters.writeRemembered(t, p.Documents)
	p.UnderLimit.write(t)
	p.plannedAuto.write(t)
	err = errors.Join(err, t.Flush())
	if explain {
		fmt.Fprintln(out)
		err = errors.Join(err, p.writeModel(out))
	}
	if p.Sample != nil {
		fmt.Fprintln(out)
		err = errors.Join(err, p.Sample.write(out, p.Threshold), p.Machine.write(out))
	}
	if explain {
		return errors.Join(err, curve.WriteText(out, 72, 16))
	}
	fmt.Fprintln(out, "\n--explain adds the rule, other memories, the error model and the curve")
	return err
}

// writeModel writes what the answer is based on, and what other memories take.
func (p planned) writeModel(out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	p.plannedRule.write(t)
	p.plannedQuality.write(t)
	p.plannedFilters.write(t)
	p.plannedMemories.write(t, p.Documents)
	p.plannedErrors.write(t)
	return t.Flush()
}
