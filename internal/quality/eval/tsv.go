package eval

import (
	"fmt"
	"io"
	"strings"
)

// WriteTSV writes a header and a row for every run.
func (f Findings) WriteTSV(w io.Writer) error {
	_, err := fmt.Fprintln(w, "part\tshare\tmethod\tthreshold\tpermutations\tngram\trule\trecords\tduplicates\t"+
		"tp\tfp\tfn\tprecision\trecall\tf1\tsketch_seconds\tjudge_seconds\tbytes")
	row := func(part string, share float64, r Result) {
		if err == nil {
			_, err = fmt.Fprintf(w, "%s\t%g\t%s\t%g\t%d\t%d\t%s\t"+
				"%d\t%d\t%d\t%d\t%d\t%.6f\t%.6f\t%.6f\t%.4f\t%.4f\t%d\n",
				part, share, r.Method, r.Threshold, r.NumPerm, r.NGram, r.Rule, r.Records, r.Duplicates,
				r.Right, r.Wrong, r.Missed(), r.Precision(), r.Recall(), r.F1(),
				r.SketchingSeconds, r.JudgingSeconds, r.Bytes)
		}
	}
	of := func(r Result) float64 { return float64(r.Duplicates) / float64(max(1, r.Records)) }
	for _, r := range f.Grid {
		row("grid", of(r), r)
	}
	for _, r := range f.Tested {
		row("test", of(r), r)
	}
	for _, r := range f.Judged() {
		for _, name := range r.ByKind.Names() {
			k := r.ByKind[name]
			row("kind "+column(name), of(r), Result{Setting: r.Setting, Rule: r.Rule, Records: k.Duplicates,
				Duplicates: k.Duplicates, Right: k.Right})
		}
	}
	for _, r := range f.Shares {
		row("share", r.Share, r.Result)
	}
	for _, r := range f.Sizes {
		row("size", of(r), r)
	}
	return err
}

// column replaces characters that cannot be in a column.
func column(text string) string {
	return strings.NewReplacer("\t", " ", "\n", " ", "\r", " ").Replace(text)
}
