package command

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/mithril-stream/mithril-stream/internal/quality/eval"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/internal/units"
)

// printEval prints the best setting of each method.
func printEval(to io.Writer, f eval.Findings, truth string, notes []string) error {
	if len(f.Best) == 0 {
		return nil
	}
	fmt.Fprintf(to, "%s of %s records are duplicates, by %s; best of %s settings by F1\n\n",
		units.Count(uint64(f.Best[0].Duplicates)), units.Count(uint64(f.Best[0].Records)), truth,
		units.Count(uint64(len(f.Grid))))
	if err := printBest(to, f.Best); err != nil {
		return err
	}
	if len(f.Tested) > 0 {
		fmt.Fprintf(to, "\nthe same settings on the test set: %s of %s records are duplicates\n\n",
			units.Count(uint64(f.Tested[0].Duplicates)), units.Count(uint64(f.Tested[0].Records)))
		if err := printBest(to, f.Tested); err != nil {
			return err
		}
	}
	if err := printKinds(to, f.Judged()); err != nil {
		return err
	}
	for _, note := range notes {
		fmt.Fprintf(to, "\n%s\n", note)
	}
	return nil
}

func printBest(to io.Writer, results []eval.Result) error {
	w := tabwriter.NewWriter(to, 0, 0, 3, ' ', 0)
	fmt.Fprintln(w, "method\tT\tpermutations\tn\tprecision\trecall\tF1\tµs/record\tbytes/record")
	for _, r := range results {
		records := float64(max(1, r.Records))
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%.3f\t%.3f\t%.3f\t%.1f\t%s\n", r.Method, orDash(r.Threshold),
			orDash(r.NumPerm), orDash(r.NGram), r.Precision(), r.Recall(), r.F1(), 1e6*r.Seconds()/records,
			units.Count(uint64(float64(r.Bytes)/records)))
	}
	return w.Flush()
}

// printKinds prints which share of the duplicates of each kind was found, if there are kinds.
func printKinds(to io.Writer, results []eval.Result) error {
	kinds := results[0].ByKind
	if len(kinds) == 0 {
		return nil
	}
	fmt.Fprint(to, "\nrecall by kind\n\n")
	w := tabwriter.NewWriter(to, 0, 0, 3, ' ', 0)
	fmt.Fprint(w, "method")
	for _, name := range kinds.Names() {
		fmt.Fprintf(w, "\t%s (%s)", shown.Text(name), units.Count(uint64(kinds[name].Duplicates)))
	}
	for _, r := range results {
		fmt.Fprintf(w, "\n%s", r.Method)
		for _, name := range kinds.Names() {
			fmt.Fprintf(w, "\t%.3f", r.ByKind[name].Recall())
		}
	}
	fmt.Fprintln(w)
	return w.Flush()
}

// orDash formats a parameter. It returns a dash if a method does not have it.
func orDash[T int | float64](value T) string {
	if value == 0 {
		return "–"
	}
	return fmt.Sprint(value)
}
