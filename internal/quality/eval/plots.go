package eval

import (
	"fmt"
	"maps"
	"slices"
)

// A section is a group of plots with a title.
type section struct {
	Title, About string
	Plots        []plot
}

// A plot is a placeholder in the page for a chart in Page.Data.
type plot struct {
	Name, Kind, Title, Axes string
	data                    *chart
}

// A chart shows lines or points over common x values. It contains no text from records.
type chart struct {
	X      []float64   `json:"x"`
	Series []series    `json:"series"`
	Range  *[2]float64 `json:"range,omitempty"` // of y
	LogX   bool        `json:"logx,omitempty"`
	LogY   bool        `json:"logy,omitempty"`
}

type series struct {
	Name  string     `json:"name"`
	Y     []*float64 `json:"y"` // nil where there is no value
	Front bool       `json:"front,omitempty"`
}

var wholeRange = [2]float64{0, 1.02}

// chartOf plots y over x, with a series for each name, in the order of first results.
func chartOf(results []Result, name func(Result) string, x, y func(Result) float64) *chart {
	c := new(chart)
	values := map[float64]bool{}
	for _, r := range results {
		values[x(r)] = true
	}
	c.X = slices.Sorted(maps.Keys(values))
	for _, r := range results {
		i := slices.IndexFunc(c.Series, func(s series) bool { return s.Name == name(r) })
		if i < 0 {
			i = len(c.Series)
			c.Series = append(c.Series, series{Name: name(r), Y: make([]*float64, len(c.X))})
		}
		at, _ := slices.BinarySearch(c.X, x(r))
		value := y(r)
		if old := c.Series[i].Y[at]; old == nil || *old < value {
			c.Series[i].Y[at] = &value
		}
	}
	return c
}

func methodOf(r Result) string      { return r.Method }
func thresholdOf(r Result) float64  { return r.Threshold }
func recordsOf(r Result) float64    { return float64(r.Records) }
func eachSeconds(r Result) float64  { return max(.01, 1e6*r.Seconds()/float64(max(1, r.Records))) }
func eachBytes(r Result) float64    { return max(1, float64(r.Bytes)/float64(max(1, r.Records))) }
func bytesOfAll(r Result) float64   { return float64(r.Bytes) }
func secondsOfAll(r Result) float64 { return r.Seconds() }

// Sections returns the plots of the page: figures 2 to 7 of section 5 of the paper.
func (p Page) Sections() []section {
	return slices.DeleteFunc([]section{p.byParameters(), p.byThreshold(), p.byShare(), p.byCost(), p.bySize()},
		func(s section) bool { return len(s.Plots) == 0 })
}

// Data returns the charts for the script.
func (p Page) Data() map[string]*chart {
	data := map[string]*chart{}
	for _, s := range p.Sections() {
		for _, plot := range s.Plots {
			data[plot.Name] = plot.data
		}
	}
	return data
}

// byParameters plots F1 over the threshold, by permutations and by n, for the methods that have
// them.
func (p Page) byParameters() section {
	s := section{Title: "F1 by permutations and by n",
		About: "For each method by the length of its signature, with its best n; and by n, with its best length."}
	for _, b := range p.Findings.Best {
		add := func(what, by string, of []Result, name func(Result) string) {
			c := chartOf(of, name, thresholdOf, Result.F1)
			if len(c.Series) < 2 || len(c.X) < 2 {
				return
			}
			c.Range = &wholeRange
			s.Plots = append(s.Plots, plot{fmt.Sprintf("%s-%s", what, b.Method), "lines", b.Method + ", by " + by,
				"F1, by the threshold T.", c})
		}
		add("permutations", fmt.Sprintf("permutations (n = %d)", b.NGram), p.of(func(r Result) bool {
			return r.Method == b.Method && r.NGram == b.NGram
		}), func(r Result) string { return fmt.Sprint(r.NumPerm) })
		by := "n"
		if b.NumPerm > 0 {
			by += fmt.Sprintf(" (%d permutations)", b.NumPerm)
		}
		add("ngrams", by, p.of(func(r Result) bool {
			return r.Method == b.Method && r.NumPerm == b.NumPerm
		}), func(r Result) string { return "n = " + fmt.Sprint(r.NGram) })
	}
	return s
}

// of returns the results of the grid for which is holds.
func (p Page) of(is func(Result) bool) (list []Result) {
	for _, r := range p.Grid {
		if is(r) {
			list = append(list, r)
		}
	}
	return list
}

func (p Page) byThreshold() section {
	chosen := p.of(func(r Result) bool {
		return r.Threshold > 0 && slices.ContainsFunc(p.Findings.Best, func(b Result) bool {
			return b.Method == r.Method && b.NumPerm == r.NumPerm && b.NGram == r.NGram
		})
	})
	s := section{Title: "By the threshold", About: "Each method with its best other parameters."}
	for _, of := range []struct {
		name, title string
		y           func(Result) float64
	}{{"f1", "F1", Result.F1}, {"precision", "Precision", Result.Precision}, {"recall", "Recall", Result.Recall}} {
		if c := chartOf(chosen, methodOf, thresholdOf, of.y); len(c.X) > 1 {
			c.Range = &wholeRange
			s.Plots = append(s.Plots, plot{"threshold-" + of.name, "lines", of.title, "By the threshold T.", c})
		}
	}
	return s
}

func (p Page) byShare() section {
	s := section{Title: "By the share of duplicates"}
	if len(p.Shares) == 0 {
		return s
	}
	share := map[int]float64{}
	var results []Result
	for _, r := range p.Shares {
		share[r.Duplicates] = r.Share
		results = append(results, r.Result)
	}
	s.About = fmt.Sprintf("The best settings on %d records, of which more and more are duplicates.", results[0].Records)
	for _, of := range []struct {
		name, title string
		y           func(Result) float64
	}{{"precision", "Precision", Result.Precision}, {"recall", "Recall", Result.Recall}, {"f1", "F1", Result.F1}} {
		c := chartOf(results, methodOf, func(r Result) float64 { return share[r.Duplicates] }, of.y)
		c.Range = &wholeRange
		s.Plots = append(s.Plots, plot{"share-" + of.name, "lines", of.title, "By the share of duplicates.", c})
	}
	return s
}

// byCost plots all settings with their Pareto front.
func (p Page) byCost() section {
	s := section{Title: "What it costs",
		About: "Each point is a setting. The dashed line is the Pareto front: nothing that costs less has a higher F1."}
	for _, of := range []struct {
		name, axes string
		x          func(Result) float64
	}{{"time", "F1, by the CPU time of a record in µs.", eachSeconds},
		{"bytes", "F1, by the memory of a record in bytes.", eachBytes}} {
		c := chartOf(p.Grid, methodOf, of.x, Result.F1)
		if len(c.X) < 2 {
			continue
		}
		c.Range, c.LogX = &wholeRange, true
		c.Series = append(c.Series, front(c))
		s.Plots = append(s.Plots, plot{"cost-" + of.name, "points", "F1 and " + of.name, of.axes, c})
	}
	return s
}

// front returns the running maximum over all series.
func front(c *chart) series {
	f := series{Name: "front", Y: make([]*float64, len(c.X)), Front: true}
	highest := -1.
	for i := range c.X {
		for _, s := range c.Series {
			if s.Y[i] != nil {
				highest = max(highest, *s.Y[i])
			}
		}
		value := highest
		f.Y[i] = &value
	}
	return f
}

func (p Page) bySize() section {
	s := section{Title: "By the size of the corpus",
		About: "The best settings on the first records, more and more of them."}
	for _, of := range []struct {
		name, title, axes string
		y                 func(Result) float64
	}{{"time", "Time", "Seconds of CPU time, by records.", secondsOfAll},
		{"bytes", "Memory", "Bytes, by records.", bytesOfAll}} {
		if c := chartOf(p.Sizes, methodOf, recordsOf, of.y); len(c.X) > 1 {
			s.Plots = append(s.Plots, plot{"size-" + of.name, "lines", of.title, of.axes, c})
		}
	}
	return s
}
