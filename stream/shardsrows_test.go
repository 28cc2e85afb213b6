package stream

import (
	"fmt"
	"io"
	"maps"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// tables are inputs of rows below one header each, which quotes its names or does not, has a byte
// order mark or none, and with a union has the columns in another order.
func tables(t *rapid.T, comma string, quoted bool, union *RowUnion) (inputs []Input) {
	headers := []string{"id" + comma + "text"}
	if quoted {
		headers = append(headers, `"id"`+comma+"text", "\xef\xbb\xbfid"+comma+`"text"`)
	}
	sizes := rapid.SliceOfN(rapid.IntRange(1, 60), 1, 4).Draw(t, "read sizes")
	for n := range rapid.IntRange(1, 3).Draw(t, "inputs") {
		header, row := rapid.SampledFrom(headers).Draw(t, "header"), "%[1]d%[2]sthe river rises %[1]d miles\n"
		if union != nil && rapid.Bool().Draw(t, "other columns") {
			header, row = "text"+comma+"id"+comma+"more", "the river rises %[1]d miles%[2]s%[1]d%[2]s\n"
		}
		var b strings.Builder
		if rapid.IntRange(0, 4).Draw(t, "not empty") > 0 {
			b.WriteString(header + "\n")
		}
		for i := range rapid.IntRange(0, 20).Draw(t, "rows") * min(b.Len(), 1) {
			fmt.Fprintf(&b, row, (n+1)*i/2, comma)
		}
		inputs = append(inputs, Input{Name: fmt.Sprint("table ", n), Open: func() (io.ReadCloser, error) {
			return io.NopCloser(&chunks{data: []byte(b.String()), sizes: sizes}), nil
		}})
		if union != nil && union.Add(inputs[n].Name, []byte(b.String())) != nil {
			t.Fatalf("the union of %q", b.String())
		}
	}
	return inputs
}

// TestShardsOfRows: each shard begins with a header, whichever checkpoint a run is resumed from,
// and also if that is in a later input.
func TestShardsOfRows(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		comma, format := ",", CSV(',', true, []string{"text"})
		if rapid.Bool().Draw(rt, "tabs") {
			comma, format = "\t", TSV(true, []string{"text"})
		}
		var union *RowUnion
		if rapid.Bool().Draw(rt, "by name") {
			union = NewRowUnion(format, false)
		}
		inputs := tables(rt, comma, comma == ",", union)
		if union != nil && (!union.IsKnown() || union.Complete() != nil) {
			union = nil
		}
		how := Shards{Bytes: rapid.Uint64Range(0, 200).Draw(rt, "bytes")}
		how.Records = rapid.Uint64Range(0, 8).Draw(rt, "records")
		var shards shardBuffers
		options := func(index keySet) Options {
			opts := testOptions(t, nil, nil)
			opts.Inputs, opts.Format, opts.Union = inputs, format, union
			opts.Method.Judge = byVotes(index, 1)
			shards.use(&opts, how)
			return opts
		}
		var taken []snapshot
		index := keySet{}
		opts := options(index)
		opts.Checkpoints = &Checkpoints{Records: 1, Commit: func(s Stats) error {
			taken = append(taken, snapshot{roundTrip(rt, s), maps.Clone(index)})
			return nil
		}}
		want, err := do(opts)
		if err != nil {
			rt.Fatal(err)
		}
		texts := shards.texts()
		checkHeaders(rt, texts, comma, union)
		for _, s := range taken {
			shards.cut(s.stats)
			opts := options(s.index)
			opts.From = s.stats
			again, err := do(opts)
			if err != nil {
				rt.Fatal(err)
			}
			if !reflect.DeepEqual(shards.texts(), texts) || !reflect.DeepEqual(again, want) {
				rt.Fatalf("resumed after %d records: %q, %+v, want %q, %+v", s.stats.Records, shards.texts(), again,
					texts, want)
			}
		}
	})
}

// checkHeaders checks that each shard has one header, of the union if there is one.
func checkHeaders(t *rapid.T, texts []string, comma string, union *RowUnion) {
	for _, text := range texts {
		header, rows, _ := strings.Cut(text, "\n")
		names := strings.ReplaceAll(strings.TrimPrefix(header, "\xef\xbb\xbf"), `"`, "")
		isOne := names == "id"+comma+"text" || union != nil && strings.HasPrefix(names, "text"+comma+"id") ||
			union != nil && names == "id"+comma+"text"+comma+"more"
		if text != "" && !isOne || strings.Contains(rows, "text") {
			t.Fatalf("no header, or another: %q in %q", text, texts)
		}
	}
}
