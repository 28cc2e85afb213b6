package command

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"time"

	"golang.org/x/term"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/run"
	"github.com/mithril-stream/mithril-stream/internal/jsonout"
	"github.com/mithril-stream/mithril-stream/internal/memory/kinds"
	"github.com/mithril-stream/mithril-stream/internal/method/exact"
	"github.com/mithril-stream/mithril-stream/internal/quality/report"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A tallying determines the kinds of records, which a tally judges.
type tallying struct {
	c       *config.Templates
	std     files.Streams
	started time.Time
	elapsed time.Duration
	stats   stream.Stats
	*kinds.Tally
}

// runTemplates reads records once and determines their kinds. It reports what it has counted even
// if a signal stops the run, since some inputs have no other end.
func runTemplates(ctx context.Context, c *config.Templates, std files.Streams) (err error) {
	t := &tallying{c: c, std: std, started: time.Now()}
	out, page, err := t.createFiles()
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, out.Finish(err == nil || t.isToldBy(err), false), page.Finish(err == nil, false))
		err = files.NameUnfinished(err, out, page)
	}()
	err = t.read(ctx)
	if t.Tally == nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	if err != nil && !t.isToldBy(err) {
		return err
	}
	t.elapsed = time.Since(t.started)
	all := t.Kinds()
	told := t.report(out, all)
	if told == nil && page != nil {
		told = t.page(all).Write(page)
	}
	if told == nil && !c.Filter.Output.Quiet {
		shown.Notice(std.Err, "%s", t.summary(len(all)))
	}
	return errors.Join(err, told)
}

// isToldBy reports whether a run that ends with err still reports what it has counted.
func (t *tallying) isToldBy(err error) bool { return errors.As(err, new(run.SignalError)) }

// createFiles creates the files to be written, except standard output.
func (t *tallying) createFiles() (out, page *files.Output, err error) {
	inputs, err := t.std.Paths(t.c.Filter.Input.Paths)
	if err != nil {
		return nil, nil, err
	}
	path := t.c.Output
	if path == "-" {
		path = ""
	}
	if err := files.RefuseTwice([]string{path, t.c.Report}, t.std); err != nil {
		return nil, nil, usage.Error(err)
	}
	if out, err = files.CreateResult(inputs, path, t.std); err == nil {
		if page, err = files.CreateResult(inputs, t.c.Report, t.std); err != nil {
			err = errors.Join(err, out.Finish(false, false))
		}
	}
	return out, page, err
}

// read counts all records.
func (t *tallying) read(ctx context.Context) error {
	by, err := run.SketchingOf(&t.c.Filter)
	if err != nil {
		return err
	}
	t.stats, err = run.Read(ctx, &t.c.Filter, by, t.std, func(from *run.Source) (r run.Reading, err error) {
		if t.Tally, err = kinds.NewTally(exact.Params(t.c.Filter.Method, from.Keys), t.c.MaxKinds); err != nil {
			return r, err
		}
		r, err = run.JudgedBy(from, t.c.Filter.Input.ID, from.Keys.Failures.Before(t.Tally.Judge()), t.Tally)
		r.Needs.SinkData.Excerpt = kinds.MostText
		return r, err
	})
	return err
}

// terminalTop is how many kinds are shown on a terminal.
const terminalTop = 40

// report writes the kinds.
func (t *tallying) report(file *files.Output, all []*kinds.Counted) error {
	to, width := io.Writer(t.std.Out), 0
	if file != nil {
		to = file
	} else if term.IsTerminal(int(t.std.Out.Fd())) {
		width = files.TerminalWidth(t.std.Out.Said())
	}
	isTable := t.c.Form == "table" || t.c.Form == "" && width > 0
	top := t.c.Top
	if top == 0 && isTable && width > 0 {
		top = terminalTop
	}
	if top == 0 || top > len(all) {
		top = len(all)
	}
	w := bufio.NewWriter(to)
	var err error
	if isTable {
		err = t.table(w, all, top, width)
	} else {
		err = t.objects(w, all[:top])
	}
	if err = errors.Join(err, w.Flush()); err != nil && !errors.Is(err, os.ErrClosed) {
		return fmt.Errorf("write kinds: %w", err)
	}
	return err
}

// A templateLine is what is written about a kind.
type templateLine struct {
	Count    uint64          `json:"count"`
	Share    float64         `json:"share"` // of all records
	Template string          `json:"template"`
	Example  string          `json:"example"`
	First    json.RawMessage `json:"first"`
}

func (t *tallying) objects(w io.Writer, all []*kinds.Counted) error {
	for _, k := range all {
		share := float64(k.Records) / float64(t.Counts().Records)
		if err := jsonout.WriteLine(w, templateLine{
			Count: k.Records, Share: math.Round(share*1e6) / 1e6, Template: k.Template.String(),
			Example: k.Template.First(), First: k.First,
		}); err != nil {
			return err
		}
	}
	return nil
}

// table writes the first kinds for people, in lines of at most width columns; 0 means no limit.
func (t *tallying) table(w io.Writer, all []*kinds.Counted, top, width int) error {
	for _, k := range all[:top] {
		line := fmt.Sprintf("%12s %6.2f %%  %s", units.Count(k.Records), units.Percent(k.Records, t.Counts().Records),
			shown.Text(k.Template.String()))
		if runes := []rune(line); width > 1 && len(runes) > width {
			line = string(runes[:width-1]) + "…"
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	if rest := all[top:]; len(rest) > 0 {
		records := uint64(0)
		for _, k := range rest {
			records += k.Records
		}
		_, err := fmt.Fprintf(w, "%12s %6.2f %%  in %s more (--top)\n", units.Count(records),
			units.Percent(records, t.Counts().Records), units.Of(uint64(len(rest)), "kind"))
		return err
	}
	return nil
}

// summary returns the last line of output.
func (t *tallying) summary(found int) string {
	n := t.Counts()
	line := fmt.Sprintf("%s in %s: %s", units.Of(n.Records, "record"), t.elapsed.Round(10*time.Millisecond),
		units.Of(uint64(found), "kind"))
	if n.Evicted > 0 {
		line += fmt.Sprintf("; not counted: %s of %s given up: a larger --max-kinds keeps more",
			units.Of(n.Lost, "record"), units.Of(n.Evicted, "kind"))
	}
	if textless := t.textless(); textless > 0 {
		line += fmt.Sprintf("; %s without text", units.Count(textless))
	}
	return line + run.Unread(t.stats)
}

// textless returns how many records have no text, without those that could not be read.
func (t *tallying) textless() uint64 {
	all := t.Counts().Textless
	return all - min(all, t.stats.Rejects.Total())
}

// mostOnPage limits the number of kinds on a page.
const mostOnPage = 1000

// page returns a page with the kinds.
func (t *tallying) page(all []*kinds.Counted) *report.Run {
	n, s := t.Counts(), t.c.Filter.Rule
	page := &report.Run{
		Origin:  run.OriginOf(t.std.Args, t.elapsed),
		Records: n.Records, Kept: n.Records, Empty: t.textless(),
		Words: report.Words{Headline: fmt.Sprintf("%s of %s", units.Of(n.Records, "record"),
			units.Of(uint64(len(all)), "kind"))},
		Figures: []report.Figure{
			{Value: units.Count(n.Records), Label: "records"}, {Value: units.Count(uint64(len(all))), Label: "kinds"},
		},
		Parameters: []report.Parameter{
			{Name: "normalize", Value: t.c.Filter.Rule.Text.Normalize},
			{Name: "shingle size", Value: strconv.Itoa(t.c.Filter.Rule.Text.ShingleSize)},
			{Name: "threshold", Value: fmt.Sprint(s.Threshold)},
			{Name: "most kinds", Value: strconv.Itoa(t.c.MaxKinds)},
		},
	}
	list := report.List{
		Title: "Kinds", About: "What the records of each have in common; " + kinds.Varies + " where they differ.",
		Columns: []string{"Template", "Records", "Share"},
	}
	for _, k := range all[:min(len(all), mostOnPage)] {
		list.Rows = append(list.Rows, report.ListRow{Text: k.Template.String(), Cells: []string{
			units.Count(k.Records), fmt.Sprintf("%.2f %%", units.Percent(k.Records, n.Records)),
		}})
	}
	page.Lists = []report.List{list}
	if len(all) > mostOnPage {
		page.Notes = append(page.Notes, fmt.Sprintf("The page shows %s of %s kinds, those with the most records.",
			units.Count(mostOnPage), units.Count(uint64(len(all)))))
	}
	if n.Evicted > 0 {
		page.Notes = append(page.Notes, fmt.Sprintf("Not counted: %s of %s that were given up, since there "+
			"were too many.", units.Of(n.Lost, "record"), units.Of(n.Evicted, "kind")))
	}
	return page
}
