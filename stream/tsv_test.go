package stream

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestRawTabs is that each line of TSV is one row, whatever quotes are in it, and that the text in
// it is what stands between its tabs.
func TestRawTabs(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.StringOfN(rapid.SampledFrom([]rune("ab\",;|\\ ü")), 0, 12, -1)
		texts := rapid.SliceOfN(text, 0, 20).Draw(rt, "texts")
		d := document{name: "tsv", format: TSV(true, []string{"text"}), lead: "\"id\ttext\t\"\n"}
		end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(rt, "line end")
		for _, text := range texts {
			d.records = append(d.records, "\"\t"+text+"\t\"\""+end)
		}
		sizes := rapid.SliceOfN(rapid.IntRange(1, 60), 1, 4).Draw(rt, "read sizes")
		out, flags, _, stats := formatRun(rt, d, 1<<20, sizes, nil)
		if stats.Records != uint64(len(texts)) || stats.Rejects.Total() != 0 || out != d.output(flags) {
			rt.Fatalf("%+v, flags %q: %q of %q", stats, flags, out, d.input())
		}
		out, flags, _, _ = formatRun(rt, d, 1<<20, sizes, func(o *Options) { o.Convert, o.OnError = true, ErrorDivert })
		lines := strings.Split(out, "\n")
		for i, flag := range strings.Fields(flags) {
			if flag == "0" {
				continue
			}
			var record map[string]string
			err := json.Unmarshal([]byte(lines[0]), &record)
			if err != nil || record["text"] != texts[i] || record["\"id"] != "\"" {
				rt.Fatalf("%q, %v; want %q", lines[0], err, texts[i])
			}
			lines = lines[1:]
		}
	})
}
