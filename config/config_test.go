package config_test

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// TestRefused checks that contradictory flags are reported as usage errors that say what to do.
func TestRefused(t *testing.T) {
	const kafka = "kafka --brokers b:9092 --group g --from a --to b --index i "
	for _, c := range []struct{ args, says string }{
		{"--equal --threshold .5", "--threshold does not go with --equal"},
		{"--key url --preset lee2021", "--preset does not go with --key"},
		{"--equal --seed random", "--seed does not go with --equal"},
		{"--equal --band-key sum", "--band-key does not go with --equal"},
		{"--key url --field text", "--field does not go with --key"},
		{"--key url --markup html", "--markup does not go with --key"},
		{"--key url --format text", "--key names a field, and records of text have none"},
		{"--equal --memory exact --verify text", "--verify does not go with --equal --memory exact"},
		{"--key k --memory exact --fp-rate .1", "--fp-rate does not go with --key --memory exact"},
		{"--method dolma --memory exact --index i", "--index does not go with --method dolma --memory exact"},
		{"--equal --memory auto", "--memory auto does not go with --equal: it is about similar texts"},
		{"--method dolma --memory exact --capacity 5", "--capacity does not go with --method dolma --memory exact"},
		{"--key k --counts c", "--counts needs --memory exact"},
		{"groups --key k --threshold .5", "--threshold does not go with --key"},
		{"groups --equal --verify text", "--verify does not go with --equal --memory exact"},
		{"--equal --overlap .5", "--overlap does not go with --equal"},
		{"--equal --method dolma", "--method dolma parts of them: give one of them"},
		{"--preset dolma --method ccnet", "are two methods"},
		{"--method lshbloom", "--method lshbloom: did you mean --preset lshbloom?"},
		{"--filter=bloom x", "--filter bloom: did you mean --filter classic"},
		{"--preset minhash-lsh", "did you mean --memory exact?"},
		{"--algorithm lshbloom", "lshbloom is --preset lshbloom"},
		{"--method best", "--method best is not known: use one of bloom-ngrams, ccnet"},
		{"--method dolma --threshold .5", "--threshold does not go with --method dolma"},
		{"--method dolma --overlap 2", "--overlap 2 must be above 0 and at most 1"},
		{"--method dolma --ngram 5", "--shingle-size is the length of an n-gram, and dolma has none"},
		{"--method dclm --ngram=-5", "--shingle-size -5 must be at least 1"},
		{"--method dclm --ngram 5000", "is not between 1 and 1000"},
		{"--method dclm --tokenize char", "--tokenize does not go with --method dclm"},
		{"--method bloom-ngrams --tokenize word", "--tokenize word: bloom-ngrams takes char or whitespace"},
		{"--method dclm --remember unseen", "--remember does not go with --method dclm"},
		{"--method dclm --memory exact --id i", "--id does not go with --method dclm --memory exact"},
		{"--method dclm --parts 5 --capacity 5", "--parts and --capacity both say"},
		{"--method bloom-ngrams --action cut", "which looks at whole records"},
		{"--method dolma --action cut --field a --field b", "--action cut takes one --field"},
		{"--method dolma --action cut --markup html", "--markup does not go with --action cut"},
		{"--method dolma --action cut --to csv", "--to does not go with --action cut"},
		{"--method dolma --action cut --annotate", "--annotate does not go with --action cut"},
		{"--method dolma --mask x", "--mask needs --action mask"},
		{"--mask x", "--mask needs --action mask"},
		{"--action cut", "--action cut needs --method NAME"},
		{"--overlap .5", "--overlap needs --method NAME"},
		{"--parts 5", "--parts needs --method NAME"},
		{"contaminate", "--items"},
		{"contaminate --items i --ngram 0", "--ngram 0 must be between 1 and 1000"},
		{"contaminate --items i --changes 2", "--changes 2 must be 0 or 1"},
		{"contaminate --items i --items-format doc", "--items-format: --format doc is not known"},
		{"contaminate --items i --findings r", "with --action report it is the output"},
		{"contaminate --items i --action keep", "--action keep needs --findings FILE"},
		{"contaminate --items i --action keep --report -", "--report - would mix with the records"},
		{"contaminate --items i --action keep --findings x -o x", "--findings and --output both write x"},
		{"contaminate --items i --action keep --report r --mask x", "--mask needs --action mask"},
		{"contaminate --items i --annotate", "--annotate is about duplicates"},
		{"contaminate --items i --flags f", "--action report writes no records"},
		{"contaminate --items i --action keep --report r --duplicates d", "--duplicates needs --action remove"},
		{"contaminate --items i --action mask --report r --to csv", "--action mask does not go with --to"},
		{"contaminate --items i --action mask --report r --field a --field b", "--action mask takes one --field"},
		{"contaminate --items i --on-error divert", "--on-error divert needs --rejects FILE"},
		{"templates --sketch simhash", "leave --sketch simhash out"},
		{"templates --report x -o x", "--output and --report both write x"},
		{"templates --report -", "--report - would mix with the kinds"},
		{"templates --max-kinds 1", "--max-kinds must be between 2 and"},
		{"--max-kinds 5", "--max-kinds needs --every INTERVAL or --rate"},
		{"--every 10s --max-kinds 1", "--max-kinds must be between 2 and"},
		{"--every 10", "is not an age"},
		{"--rate 5", "is not a rate: write N/INTERVAL"},
		{"--rate 0/1m", "is not a rate"},
		{"--rate 5/0s", "is not a rate"},
		{"--rate 99999999999/s", "is not a rate"},
		{"--every 10s --index i", "--index does not go with --every"},
		{"--rate 1/s --memory exact", "--memory does not go with --rate"},
		{"--every 10s --against i", "--against does not go with --every"},
		{"--every 10s --annotate", "--annotate does not go with --every"},
		{"--every 10s --to csv", "--to does not go with --every"},
		{"--every 10s --output-dir d", "--output-dir does not go with --every"},
		{"--every 10s --equal", "--equal does not go with --every"},
		{"--every 10s --method dolma", "--method does not go with --every"},
		{"--every 10s --sketch simhash", "--every is about texts that share words"},
		{"--no-such-flag", "unknown flag --no-such-flag"},
		{"--on-error divert", "--on-error divert needs --rejects FILE, or the records would be lost"},
		{"--on-error ignore", "--on-error ignore: choose from keep, divert, fail"},
		{"--empty ignore", "--empty ignore: choose from keep, "},
		{"- x -", "standard input can be read only once: give - once"},
		{"--max-record 0", "--max-record must be between 1 and 1GiB"},
		{"--max-record 2GiB", "--max-record must be between 1 and 1GiB"},
		{"--threads=-1", "--threads must be between 1 and 1024"},
		{"--threads 1025", "--threads must be between 1 and 1024"},
		{"--shingle-size=-1", "--shingle-size -1 must be at least 1"},
		{"--read-only --index i --resume", "--resume does not go with --read-only"},
		{"--read-only --index i --checkpoint 1s", "--checkpoint does not go with --read-only"},
		{"--checkpoint 1s", "--checkpoint needs --index DIR"},
		{"--resume", "--resume needs --index DIR"},
		{"--repeat replay", "--repeat needs --index DIR"},
		{"--keep-runs 30", "--keep-runs needs --index DIR"},
		{"--undo-runs 1 --against i", "--undo-runs needs --index DIR"},
		{"--read-only", "--read-only needs --index DIR or --against DIR"},
		{"--index i --against i", "--against i is the same directory as --index"},
		{"--capacity 0", "--capacity must be at least 1"},
		{"--fp-rate 0", "--fp-rate 0 must be between 0 and 1"},
		{"--fp-rate 1", "--fp-rate 1 must be between 0 and 1"},
		{"--duplicates -", "--duplicates - would mix with the records: name a file"},
		{"--stats -", "--stats - would mix with the records"},
		{"-o x --rejects x", "--output and --rejects both write x"},
		{"--flags x --stats x", "--flags and --stats both write x"},
		{"--format doc", "--format doc is not known: use one of jsonl"},
		{"--to tsv", "--to tsv is not known: use one of jsonl, json, csv, parquet, arrow"},
		{"--format csv --delimiter ;;", "--delimiter \";;\" must be one ASCII character"},
		{"--format csv --delimiter §", "must be one ASCII character"},
		{"--format csv --delimiter \"", "and no quote or line end"},
		{"--format csv --record-separator x", "--record-separator and -0 are about text, not csv"},
		{"--format csv -0", "--record-separator and -0 are about text, not csv"},
		{"-0 --record-separator x", "give one"},
		{`--record-separator \q`, `write a backslash as \\`},
		{"--threshold=-0.5", "--threshold -0.5 must be above 0 and at most 1"},
		{"--threshold 1.5", "--threshold 1.5 must be above 0 and at most 1"},
		{"--threshold NaN", "--threshold NaN must be above 0 and at most 1"},
		{"--tune best", "--tune best is not known: use f2, f1, recall or balanced"},
		{"--recall 1", "--recall 1 must be between 0 and 1"},
		{"--num-perm=-1", "--num-perm -1 must be between 1 and 65536"},
		{"--bands 4", "--bands and --rows must both be given"},
		{"--rows 4", "--bands and --rows must both be given"},
		{"--bands=-4 --rows=-4", "--bands and --rows must both be given, both at least 1"},
		{"--bands 40 --rows 40 --num-perm 128", "--bands 40 times --rows 40 is more than --num-perm 128"},
		{"--bands 4294967296 --rows 4294967296", "is more than --num-perm"},

		{"sketch --threshold 2", "--threshold 2 must be"},
		{"sketch --preset best", "--preset best is not known"},
		{"dedup", "dedup needs SKETCH"},
		{"dedup --stats - s", "--stats - would mix with the flags"},
		{"dedup -o x --stats x s", "--flags and --stats both write x"},
		{"dedup - -", "give - once"},
		{"dedup --read-only s", "--read-only needs"},
		{"apply", "--flags"},
		{"apply --flags -", "--flags - and the records, or their names, would both be standard input"},
		{"apply --flags - x -", "--flags - and the records, or their names, would both be standard input"},
		{"apply --flags f --to tsv", "--to tsv is not known"},

		{kafka + "--method dclm --memory exact", "--memory exact does not go with --method dclm between topics"},
		{kafka + "--preset dclm --memory exact", "--memory exact does not go with --method dclm between topics"},
		{kafka + "--method dclm --tokens t", "--method does not go with --tokens"},
		{kafka + "--preset dclm --tokens t", "--method does not go with --tokens"},
		{kafka + "--method dclm --forget-after 1d", "--forget-after does not go with --method dclm"},
		{kafka + "--method dclm --max-memory 1GiB", "--max-memory does not go with --method dclm"},
		{kafka + "--method dclm --threshold .8", "--threshold does not go with --method dclm"},
		{kafka + "--method dclm --counts-to c", "--counts-to needs --memory exact"},
		{kafka + "--method dclm --duplicates-to d --original-header o", "--original-header needs --memory exact"},
		{kafka + "--method dclm --action cut", "unknown flag --action"},
		{kafka + "--method dolma --scale 4", "dolma takes no sample of its parts"},
		{kafka + "--overlap .5", "--overlap needs --method NAME"},
		{"judge --method dclm --index i --memory exact", "--index does not go with --method dclm --memory exact"},
		{"judge --method dclm --memory auto --max-memory 1GiB",
			"--memory auto does not go with --method dclm: it is about similar texts"},
		{"judge --filter paged", "--filter needs --memory bloom: the default memory has no Bloom filters"},
		{"judge --memory exact --filter paged", "--filter does not go with --memory exact"},
		{"judge --method dclm --sketch fracminhash", "--sketch does not go with --method dclm"},
		{"judge --method dclm --verify text", "--verify needs --memory exact"},
		{"judge --preset dclm --method dolma", "--preset dclm and --method dolma are two methods"},
		{"judge --method dclm --parts 5 --capacity 5", "--parts and --capacity both say what to plan for"},
		{"judge --parts 5", "--parts needs --method NAME"},
		{kafka + "--key id --forget-after 1h --keep-generations 61", "--keep-generations does not go with --key"},
		{"--equal --forget-after 1h --time t --keep-generations 5", "which remember each key for exactly that time"},
		{"--key id --forget-after 1h --time t --memory exact --keep-generations 5", "--keep-generations does not go"},
		{"--key id --forget-after 1h --time t --fp-rate .1", "--fp-rate does not go with --key --forget-after"},
		{kafka + "--to a", "--to writes to the topic that is read, a: it would never end"},
		{kafka + "--duplicates-to b", "--to and --duplicates-to both write to b"},
		{kafka + "--compression zip", "--compression zip is not known"},
		{kafka + "--commit-interval 1ms", "--commit-interval 1ms must be between 10ms and 10m0s"},
		{kafka + "--tls-ca f", "--tls-ca needs --tls"},
		{kafka + "--tls --tls-cert f", "--tls-cert and --tls-key belong together"},
		{kafka + "--sasl-username u", "--sasl-username needs --sasl HOW"},
		{kafka + "--sasl oauthbearer", "--sasl oauthbearer needs --sasl-token-file or --sasl-token-url, one of them"},
		{kafka + "--sasl oauthbearer --sasl-token-file f --sasl-token-url https://a/b", "one of them"},
		{kafka + "--sasl oauthbearer --sasl-token-file f --sasl-username u", "leave out --sasl-username"},
		{kafka + "--sasl oauthbearer --sasl-token-url https://a/b", "--sasl-token-url needs --sasl-username"},
		{kafka + "--sasl oauthbearer --sasl-username u --sasl-token-url a/b", "--sasl-token-url a/b is not an address"},
		{kafka + "--sasl plain --sasl-username u --sasl-token-file f", "--sasl-token-file needs --sasl oauthbearer"},
		{kafka + "--sasl aws-msk-iam", "--sasl aws-msk-iam needs --tls"},
		{kafka + "--sasl aws-msk-iam --tls --sasl-username u", "takes no name and no password"},
		{kafka + "--sasl-token-file f", "--sasl-token-file needs --sasl oauthbearer"},
		{kafka + "--sasl magic", "--sasl magic is not known"},
		{kafka + "--sasl plain", "--sasl plain needs --sasl-username"},
		{kafka + "--format csv", "--format csv is not known for messages"},
		{kafka + "--on-error divert", "--on-error divert needs --rejects-to TOPIC"},
		{kafka + "--against i", "--against i is the same directory as --index"},
		{"kafka --group g", "missing flags"},

		{"substr --field a --field a", "--field is given twice with the same path"},
		{"substr --min-length=-1", "--min-length -1 must be between 1 and 16777216"},
		{"substr --against a --store s", "--against and --store do not go together"},
		{"substr -o x x", "--output x is also an input"},
		{"substr --store s -o x", "--output is about records that are written, and --store writes none"},
		{"substr --store s -o -", "--output is about records that are written, and --store writes none"},
		{"substr --store s --action cut", "--action is about records that are written, and --store writes"},
		{"substr --store s --action mask --mask x", "--action is about records that are written, and --store"},
		{"substr --store s --merge 3", "--merge is about records that are written, and --store writes none"},
		{"substr --store s --word-boundaries", "--word-boundaries is about records that are written, and --store"},
		{"substr --store s --report r", "--report shows what is repeated, and --store only stores texts"},
		{"substr --max-record 0", "--max-record must be between 1 and 1GiB"},
		{"substr --threads=-1", "--threads must be between 1 and 1024"},

		{"plan --documents 0", "--documents must be at least 1"},
		{"plan --documents 1M --fp-rate 2", "--fp-rate 2 must be between 0 and 1"},
		{"plan --documents 1M --recall 2", "--recall 2 must be between 0 and 1"},
		{"plan --documents 1M --preset best", "--preset best is not known"},
		{"index merge a b", "missing flags: --output"},
	} {
		_, err := config.Parse(strings.Fields(c.args), "test", nil)
		if !errors.Is(err, usage.Err) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.args, err, c.says)
		}
	}
}

// TestResolved checks that commands fill in what the user leaves out.
func TestResolved(t *testing.T) {
	for _, c := range []struct {
		args string
		want func(any) bool
	}{
		{"", func(c any) bool {
			f := c.(*config.Filter)
			in := f.Input
			return in.OnError == "keep" && in.Empty == "keep" && in.MaxRecord == config.DefaultMaxRecord &&
				in.Threads == 0 &&
				in.Records.Separator == "\n" &&
				f.Memory.Filters.Capacity == 1_000_000 && f.Memory.Filters.FPRate == 1e-8 && f.Output.Output == "-" &&
				f.Rule.Threshold == 0.85
		}},
		{"-0", func(c any) bool {
			r := c.(*config.Filter).Input.Records
			return r.Name == "text" && r.Separator == "\x00"
		}},
		{"-0 --format file", func(c any) bool {
			r := c.(*config.Filter).Input.Records
			return r.Name == "file" && r.Separator == "\x00"
		}},
		{`--record-separator \n\n`, func(c any) bool {
			r := c.(*config.Filter).Input.Records
			return r.Name == "text" && r.Separator == "\n\n"
		}},
		{`--record-separator "`, func(c any) bool { return c.(*config.Filter).Input.Records.Separator == `"` }},
		{"--format wet --to jsonl", func(c any) bool {
			r := c.(*config.Filter).Input.Records
			return r.Name == "warc" && r.To == "jsonl"
		}},
		{"-o x --stats y", func(c any) bool {
			return reflect.DeepEqual(c.(*config.Filter).Written(), []string{"x", "", "", "", "y", "", "", "", ""})
		}},
		{"sketch -q x", func(c any) bool {
			f := c.(*config.Filter)
			return f.Output.Sketches == "-" && f.Input.OnError == "keep" && f.Input.Empty == "keep" && f.Output.Quiet &&
				f.Rule.NumPerm == 256
		}},
		{"dedup s", func(c any) bool {
			f := c.(*config.Filter)
			return f.Input.Sketches && f.Input.Threads == 1 && f.Output.Flags == "-"
		}},
		{"apply --flags f", func(c any) bool {
			f := c.(*config.Filter)
			return f.Input.Verdicts == "f" && f.Input.OnError == "divert"
		}},
		{"substr", func(c any) bool {
			s := c.(*config.Substr)
			return s.MinLength == 100 && s.Unit == "bytes" && reflect.DeepEqual(s.Files, []string{"-"}) &&
				reflect.DeepEqual(s.Filter.Input.Paths, s.Files) && s.Filter.Input.MaxRecord == 64<<20
		}},
		{"substr --against a", func(c any) bool { s := c.(*config.Substr); return s.MinLength == 0 && s.Unit == "" }},
		{"plan --documents 1M", func(c any) bool {
			p := c.(*config.Plan)
			return p.Documents == 1_000_000 && p.NumPerm == 256
		}},
		{"kafka --brokers b --group g --from a --to b --index i --preset paper", func(c any) bool {
			k := c.(*config.Kafka)
			return k.Filter.Rule.Bands == 42 && k.Filter.Rule.Text.ShingleSize == 1 && k.Filter.Memory.Index == "i"
		}},
		{"index delete i --ids f", func(c any) bool { d := c.(*config.Delete); return d.Dir == "i" && d.IDs == "f" }},
		{"--memory exact --verify text", func(c any) bool {
			r := c.(*config.Filter).Rule
			return r.NumPerm == 64 && r.Recall == .98 && r.Votes == 1
		}},
		{"--memory exact --verify text --threshold .5", func(c any) bool {
			r := c.(*config.Filter).Rule
			return r.NumPerm == 0 && r.LeastSlots == 0 && r.Recall == .98
		}},
		{"--memory exact --verify text --tune f1 --recall .9", func(c any) bool {
			r := c.(*config.Filter).Rule
			return r.NumPerm == 0 && r.Recall == .9
		}},
		{"--memory exact", func(c any) bool {
			r := c.(*config.Filter).Rule
			return r.NumPerm == 64 && r.LeastSlots == 0 && r.Recall == .98 && r.Verify == spec.VerifyText
		}},
		{"--memory exact --verify signature", func(c any) bool {
			r := c.(*config.Filter).Rule
			return r.NumPerm == 0 && r.LeastSlots == 256 && r.Recall == .95
		}},
		{"--memory auto --max-memory 1G", func(c any) bool {
			return c.(*config.Filter).Rule.Verify == spec.VerifySignature
		}},
		{"--memory exact --sketch simhash", func(c any) bool { return !c.(*config.Filter).Method.HasSets() }},
		{"groups f", func(c any) bool { return c.(*config.Groups).Filter.Rule.Verify == spec.VerifyText }},
		{"groups --sketch simhash f", func(c any) bool {
			return c.(*config.Groups).Filter.Rule.Verify == spec.VerifySignature
		}},
		{"kafka --brokers b:9092 --group g --from a --to b --index i --memory exact", func(c any) bool {
			return c.(*config.Kafka).Filter.Rule.Verify == spec.VerifyText
		}},
		{"groups --verify text f", func(c any) bool { return c.(*config.Groups).Filter.Rule.NumPerm == 64 }},
		{"judge --memory exact --verify text", func(c any) bool { return c.(*config.Judge).Filter.Rule.NumPerm == 64 }},
		{"groups --verify containment f", func(c any) bool {
			f := c.(*config.Groups).Filter
			return f.Rule.Verify == spec.VerifyContainment && f.Rule.Containment == .9
		}},
		{"judge --verify containment --containment .8", func(c any) bool {
			return c.(*config.Judge).Filter.Rule.Containment == .8
		}},
		{"kafka --brokers b:9092 --group g --from a --to b --index i --memory exact --verify containment",
			func(c any) bool { return c.(*config.Kafka).Filter.Rule.Containment == .9 }},
		{"index verify i", func(c any) bool { return c.(*config.Verify).Dir == "i" }},
	} {
		command, err := config.Parse(strings.Fields(c.args), "test", nil)
		if err != nil || !c.want(command) {
			t.Errorf("%q: %+v, %v", c.args, command, err)
		}
	}
}

// TestEnvironment checks that environment variables can set flags.
func TestEnvironment(t *testing.T) {
	t.Setenv("MITHRIL_STREAM_SHINGLE_SIZE", "3")
	t.Setenv("MITHRIL_STREAM_SEED", "7")
	if f := filter(t); f.Rule.Text.ShingleSize != 3 || f.Rule.Seed.Number != 7 {
		t.Errorf("shingles of %d, seed %d", f.Rule.Text.ShingleSize, f.Rule.Seed.Number)
	}
}

// TestHelpAndVersion checks that help and version are printed and that parsing then stops.
func TestHelpAndVersion(t *testing.T) {
	for args, says := range map[string]string{
		"--help": "--preset NAME", "version": "mithril-stream test\n", "plan --help": "--documents",
		"--version": "mithril-stream test\n", "--equal --version": "mithril-stream test\n",
	} {
		var out bytes.Buffer
		_, err := config.Parse(strings.Fields(args), "test", &out)
		if !errors.Is(err, config.ErrStop) || !strings.Contains(out.String(), says) {
			t.Errorf("%s: %v, %s", args, err, out.String())
		}
	}
}

// TestHelpIsFilledIn checks that help shows defaults and preset names, with no placeholder left.
func TestHelpIsFilledIn(t *testing.T) {
	for _, command := range []string{"filter", "kafka", "audit", "eval", "groups", "contaminate",
		"sketch", "near", "plan"} {
		var out bytes.Buffer
		if _, err := config.Parse([]string{"help", command}, "test", &out); !errors.Is(err, config.ErrStop) {
			t.Fatal(err)
		}
		if i := strings.Index(out.String(), "${"); i >= 0 {
			t.Errorf("%s: %.40q", command, out.String()[i:])
		}
	}
	var out bytes.Buffer
	config.Parse([]string{"help", "filter"}, "test", &out)
	words := strings.Join(strings.Fields(out.String()), " ")
	for _, says := range []string{"default: 64MiB)", strings.Join(sketch.PresetNames(), ", ")} {
		if !strings.Contains(words, says) {
			t.Errorf("the help does not have %q", says)
		}
	}
}

// TestSizeOfAnIndex checks that all commands that create an index use the same defaults.
func TestSizeOfAnIndex(t *testing.T) {
	for _, args := range []string{"", "judge", "dedup a.sketch",
		"kafka --brokers b:9092 --group g --from a --to b --index i"} {
		command, err := config.Parse(strings.Fields(args), "", new(bytes.Buffer))
		if err != nil {
			t.Errorf("%s: %v", args, err)
			continue
		}
		var f config.Filter
		switch c := command.(type) {
		case *config.Filter:
			f = *c
		case *config.Judge:
			f = c.Filter
		case *config.Kafka:
			f = c.Filter
		}
		if f.Memory.Filters.Capacity != 1_000_000 || f.Memory.Filters.FPRate != 1e-8 {
			t.Errorf("%s: %d records at %v", args, f.Memory.Filters.Capacity, f.Memory.Filters.FPRate)
		}
	}
}

// TestDefaultsOfOtherCallers checks that callers without a command line get the same rule and
// memory as the program, field by field.
func TestDefaultsOfOtherCallers(t *testing.T) {
	for _, c := range []struct {
		args string
		want spec.Method
	}{
		{"", spec.Default(0, spec.MemoryBloom)},
		{"--threshold .6", spec.Default(.6, spec.MemoryBloom)},
		{"--memory exact", spec.Default(0, spec.MemoryExact)},
		{"--memory exact --threshold .7", spec.Default(.7, spec.MemoryExact)},
		{"judge", spec.Default(0, spec.MemoryExact)},
		{"judge --memory bloom --threshold .6", spec.Default(.6, spec.MemoryBloom)},
	} {
		parsed, err := config.Parse(strings.Fields(c.args), "test", nil)
		if err != nil {
			t.Fatal(err)
		}
		got := spec.Method{}
		switch parsed := parsed.(type) {
		case *config.Filter:
			got = parsed.Method
		case *config.Judge:
			got = parsed.Filter.Method
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q:\n%+v, want\n%+v", c.args, got, c.want)
		}
	}
}
