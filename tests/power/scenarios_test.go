package power

import "fmt"

// scenarios are commands in which features meet.
func scenarios() (list []scenario) {
	memories := map[string]string{
		"filters":             "--capacity 1000",
		"filters that forget": "--capacity 200 --keep-generations 3",
		"filters by time":     "--forget-after 3d --time at --capacity 400",
		"exact":               "--memory exact --id id",
		"exact that forgets":  "--memory exact --id id --capacity 200 --keep-generations 3",
		"texts":               "--memory exact --id id --verify text",
		"samples":             "--sketch fracminhash --id id",
		"fingerprints":        "--sketch simhash --id id",
		"auto":                "--memory auto --id id --max-memory 8000 --capacity 1000",
	}
	for name, options := range memories {
		run := func(day int, more string) string {
			out := fmt.Sprintf("-o out%d", day)
			return fmt.Sprintf("-q %s --format jsonl --index ix day%d %s %s", options, day, out, more)
		}
		add := func(of string, s scenario) {
			s.name = name + ", " + of
			list = append(list, s)
		}
		add("first run", scenario{what: run(0, ""), after: run(1, ""), files: "out0 out1"})
		add("run", scenario{before: []string{run(0, "")}, what: run(1, ""), after: run(2, ""), files: "out1 out2"})
		add("checkpoints", scenario{
			before: []string{run(0, "")}, what: run(1, "--checkpoint 70"),
			again: run(1, "--checkpoint 70 --resume"), after: run(2, ""), files: "out1 out2",
		})
		add("first run with checkpoints", scenario{
			what: run(0, "--checkpoint 70"), again: run(0, "--checkpoint 70 --resume"), after: run(1, ""),
			files: "out0 out1",
		})
		add("undo", scenario{
			before: []string{run(0, ""), run(1, "")}, what: "index undo --to 1 ix", after: run(2, ""), files: "out2",
		})
		add("run after undo", scenario{
			before: []string{run(0, ""), run(1, ""), "index undo ix"}, what: run(2, ""), after: run(3, ""),
			files: "out2 out3",
		})
		add("compact", scenario{
			before: []string{run(0, ""), run(1, "")}, what: "index compact ix", after: run(2, ""), files: "out2",
		})
		add("grown", scenario{
			before: []string{fmt.Sprintf("-q %s --format jsonl --index ix day0 -o out", options)},
			what:   fmt.Sprintf("-q %s --format jsonl --index ix day0 day1 -o out", options),
			after:  run(2, ""), files: "out out2",
		})
		add("repeat", scenario{
			before: []string{run(0, ""), run(1, "")}, what: run(1, ""), after: run(2, ""), files: "out1 out2",
		})
	}
	return append(list, more()...)
}

// more are those of one kind of memory alone.
func more() []scenario {
	exact := func(day int, more string) string {
		return fmt.Sprintf("-q --memory exact --id id --format jsonl --index ix day%d -o out%d %s", day, day, more)
	}
	forgets := func(day int, more string) string {
		return exact(day, "--capacity 200 --keep-generations 3 "+more)
	}
	group := func(day int) string {
		return fmt.Sprintf("groups -q --id id --format jsonl --index ix day%d -o out%d", day, day)
	}
	return []scenario{
		{
			name: "exact, originals and flags", before: []string{exact(0, "")},
			what:  exact(1, "--originals or --flags f --duplicates du --checkpoint 70"),
			again: exact(1, "--originals or --flags f --duplicates du --checkpoint 70 --resume"),
			after: exact(2, ""), files: "out1 or f du out2",
		},
		{
			name: "exact, counts", before: []string{exact(0, "--counts c0")}, what: exact(1, "--counts c1"),
			after: exact(2, "--counts c2"), files: "out1 c1 out2 c2",
		},
		{
			name: "exact, counts and checkpoints", before: []string{exact(0, "--counts c0")},
			what: exact(1, "--counts c1 --checkpoint 70"), again: exact(1, "--counts c1 --checkpoint 70 --resume"),
			after: exact(2, "--counts c2"), files: "out1 c1 out2 c2",
		},
		{
			name: "exact, delete", before: []string{exact(0, ""), exact(1, "")},
			what: "index delete ix --ids ids", after: exact(2, ""), files: "out2",
		},
		{
			name: "forgetting, delete", before: []string{forgets(0, ""), forgets(1, "")},
			what: "index delete ix --ids ids", after: forgets(2, ""), files: "out2",
		},
		{
			name: "exact, delete and compact", before: []string{exact(0, ""), "index delete ix --ids ids"},
			what: "index compact ix", after: exact(2, ""), files: "out2",
		},
		{
			name: "exact, merge", before: []string{
				"-q --memory exact --format jsonl --index a day0 -o oa",
				"-q --memory exact --format jsonl --index b day1 -o ob",
			},
			what: "index merge a b -o ix", after: "-q --memory exact --format jsonl --index ix day2 -o out2",
			files: "out2",
		},
		{
			name: "filters, merge", before: []string{
				"-q --capacity 1000 --format jsonl --index a day0 -o oa",
				"-q --capacity 1000 --format jsonl --index b day1 -o ob",
			},
			what: "index merge a b -o ix", after: "-q --format jsonl --index ix day2 -o out2", files: "out2",
		},
		{
			name: "groups, first day", what: group(0), after: group(1), files: "out0 out1",
		},
		{
			name: "groups, day", before: []string{group(0)}, what: group(1), after: group(2), files: "out1 out2",
		},
		{
			name: "groups, undo", before: []string{group(0), group(1)}, what: "index undo --to 1 ix", after: group(2),
			files: "out2",
		},
		{
			name: "filters, shards", before: []string{"-q --index ix --format jsonl day0 -o out0"},
			what:  "-q --index ix --format jsonl day1 --output-dir d/e --shard-records 50",
			after: "-q --index ix --format jsonl day2 -o out2", files: "d/e/part-00000.jsonl d/e/part-00001.jsonl out2",
		},
		{
			name: "filters, shards and checkpoints", before: []string{"-q --index ix --format jsonl day0 -o out0"},
			what:  "-q --index ix --format jsonl day1 --output-dir d/e --shard-records 50 --checkpoint 70",
			again: "-q --index ix --format jsonl day1 --output-dir d/e --shard-records 50 --checkpoint 70 --resume",
			after: "-q --index ix --format jsonl day2 -o out2", files: "d/e/part-00000.jsonl d/e/part-00001.jsonl out2",
		},
		{
			name: "filters, compressed", before: []string{"-q --index ix --format jsonl day0 -o out0"},
			what:  "-q --index ix --format jsonl day1 -o out1.gz --checkpoint 70",
			again: "-q --index ix --format jsonl day1 -o out1.gz --checkpoint 70 --resume",
			after: "-q --index ix --format jsonl day2 -o out2", files: "out2",
		},
		{
			name: "filters, table", before: []string{"-q --index ix --format jsonl day0 -o out0"},
			what:  "-q --index ix --format jsonl day1 -o out1.parquet",
			after: "-q --index ix --format jsonl day2 -o out2", files: "out1.parquet out2",
		},
		{
			name: "counts, delete", before: []string{exact(0, "--counts c0"), exact(1, "--counts c1")},
			what: "index delete ix --ids ids", after: exact(2, "--counts c2"), files: "out2 c2",
		},
		{
			name: "counts, merge", before: []string{
				"-q --memory exact --format jsonl --index a day0 -o oa --counts ca",
				"-q --memory exact --format jsonl --index b day1 -o ob --counts cb",
			},
			what:  "index merge a b -o ix",
			after: "-q --memory exact --format jsonl --index ix day2 -o out2 --counts c2", files: "out2 c2",
		},
		{
			name: "filters, consumer", what: "consume --capacity 1000 --index ix day0 broker",
			after: "-q --format jsonl --against ix day1 -o out1", files: "broker out1",
		},
		{
			name: "exact, consumer", what: "consume --memory exact --index ix day0 broker",
			after: "-q --memory exact --format jsonl --against ix day1 -o out1", files: "broker out1",
		},
		{
			name: "exact, consumer of counts", what: "consume --memory exact --counts-to c --index ix day0 broker",
			after: "-q --memory exact --format jsonl --against ix day1 -o out1", files: "broker out1",
		},
		{
			name: "filters, named run", before: []string{"named bloom a day0 out0"}, what: "named bloom b day1 out1",
			after: "-q --capacity 1000 --format jsonl --index ix day2 -o out2", files: "out1 out2",
		},
		{
			name: "exact, first named run", what: "named exact a day0 out0", after: "named exact b day1 out1",
			files: "out0 out1",
		},
		{
			name: "exact, named run again", before: []string{"named exact a day0 out0", "named exact b day1 out1"},
			what: "named exact a day0 again", after: "named exact c day2 out2", files: "again out2",
		},
	}
}
