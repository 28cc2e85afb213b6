package run

import (
	"maps"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/formats"
)

// parse is the configuration of a command line, and the records of the format that it names.
func parse(t *testing.T, line string) (*config.Filter, formats.Source) {
	t.Helper()
	c, err := config.Parse(strings.Fields(line), "test", nil)
	if err != nil {
		t.Fatal(err)
	}
	f := c.(*config.Filter)
	return f, formats.Source{Settings: f.Input.Records, Dialect: f.Input.Records.Name}
}

// What is written of a way is what it was when indexes were made that are in use.
func TestWayText(t *testing.T) {
	for _, c := range []struct {
		line    string
		against []string
		want    string
	}{
		{"--format jsonl", nil, `"jsonl" [] false "\n" 67108864 false []` + "\n"},
		{"--format csv --no-header --field a --field b --max-record 5KiB --annotate", []string{"x", "y"},
			`"csv" ["a" "b"] true "\n" 5120 true ["x" "y"]` + "\n"},
		{"--format text -0", nil, `"text" [] false "\x00" 67108864 false []` + "\n"},
		{"--format jsonl --key url", nil, `"jsonl" ["url"] false "\n" 67108864 false []` + "\n"},
		{"--format jsonl --index i --forget-after 30d --time at", nil,
			`"jsonl" [] false "\n" 67108864 false []` + "\n\"at\"\n"},
		{"dedup a.sketch", nil, `"" [] false "" 0 false []` + "\n"},
	} {
		f, records := parse(t, c.line)
		if got := wayText(f, records, c.against); got != c.want {
			t.Errorf("%s: %s, want %s", c.line, got, c.want)
		}
	}
}

// The options of a commit are what they were, but for flags that were forgotten.
func TestOptions(t *testing.T) {
	usual := map[string]string{
		"--field": "text", "--empty": "keep", "--on-error": "keep", "--max-record": "67108864",
		"--record-separator": "\n", "--action": "drop-record", "--mask": "[…]",
	}
	for _, c := range []struct {
		line    string
		against []string
		more    map[string]string
	}{
		{"", nil, nil},
		{"--threshold .9 --memory bloom", nil, nil},
		{"--memory exact --threshold .85 --verify signature", nil, nil},
		{"--no-header --annotate --on-error fail --empty drop --max-record 1KiB --record-separator x", nil,
			map[string]string{"--no-header": "true", "--annotate": "true", "--on-error": "fail", "--empty": "drop",
				"--max-record": "1024", "--record-separator": "x"}},
		{"--memory exact --id n --field a --field b", []string{"x", "y"},
			map[string]string{"--id": "n", "--field": "a, b", "--against": "x, y", "--verify": "text"}},
		{"--method dolma --action mask --mask x", nil, map[string]string{"--action": "mask", "--mask": "x"}},
		{"--forget-after 30d --time at", nil, map[string]string{"--time": "at"}},
		{"--memory exact --verify text --threshold .9", nil,
			map[string]string{"--verify": "text", "--threshold": "0.9"}},
		{"--key a --key b", nil, map[string]string{"--field": "a, b", "--key": "a, b"}},
		{"dedup --empty drop --on-error divert s", nil, map[string]string{"--empty": "drop", "--on-error": "divert",
			"--max-record": "0", "--action": "", "--mask": "", "--record-separator": ""}},
	} {
		want := maps.Clone(usual)
		maps.Copy(want, c.more)
		maps.DeleteFunc(want, func(_, value string) bool { return value == "" })
		f, records := parse(t, c.line)
		if got := optionsToResume(f, records.Settings, c.against); !maps.Equal(got, want) {
			t.Errorf("%s: %v, want %v", c.line, got, want)
		}
	}
}
