package tests

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The inputs that no command can read, and their names.
var unreadables = map[string][]byte{
	"other.jsonl":   []byte("{\"body\":\"a text of some words\"}\n{\"body\":\"another text of some words\"}\n"),
	"text.jsonl":    []byte("It was a day like others.\nAnd then another day.\n"),
	"table.jsonl":   []byte("id,text\n1,A day like others\n2,And another day\n"),
	"array.jsonl":   []byte("[{\"text\":\"a day\"},{\"text\":\"another day\"}]\n"),
	"nested.jsonl":  []byte("{\"data\":[{\"text\":\"a day\"},{\"text\":\"another day\"}]}\n"),
	"pretty.jsonl":  []byte("{\n  \"text\": \"a day\"\n}\n"),
	"half.jsonl":    []byte("{\"text\":\"a day"),
	"utf16.jsonl":   []byte("\xff\xfe{\x00\"\x00t\x00\"\x00:\x001\x00}\x00\n\x00"),
	"zeros.jsonl":   bytes.Repeat([]byte{0}, 300),
	"latin.jsonl":   []byte("{\"text\":\"caf\xe9\"}\n"),
	"zip.jsonl":     []byte("PK\x03\x04\x14\x00\x00\x00\x08\x00"),
	"pdf.jsonl":     []byte("%PDF-1.7\n%\xe2\xe3\n"),
	"warc.jsonl":    []byte("WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 0\r\n\r\n\r\n\r\n"),
	"parquet.jsonl": []byte("PAR1\x15\x04\x15\x10PAR1"),
	"arrow.jsonl":   []byte("ARROW1\x00\x00\xff\xff\xff\xff"),
	"number.jsonl":  []byte("{\"text\":1}\n{\"text\":2}\n"),
	"null.jsonl":    []byte("{\"text\":null}\n"),
	"other.csv":     []byte("id,body\n1,A day like others\n2,And another day\n"),
	"quotes.tsv":    []byte("text\tid\n\t\"1\"\n"),
	"bad.parquet":   []byte("no parquet"),
	"bad.arrow":     []byte("no arrow"),
	"bad.warc":      []byte("no warc"),
	"bad.json":      []byte("{\"text\":\"a day\"}\n"),
	"gzip.jsonl.gz": []byte("\x1f\x8b\x08\x00\x00\x00\x00\x00"),
	"name.zst":      []byte("{\"text\":\"a day\"}\n"),
	"bad.sketch":    []byte("MSKETCH\x01"),
	"empty.jsonl":   {},
}

// readers are the commands that read records, with what they need besides.
var readers = map[string][]string{
	"": nil, "groups": nil, "templates": nil, "pairs": nil, "fingerprint": nil, "audit": nil,
	"eval": {"--jaccard", ".8"}, "substr": nil, "boilerplate": nil,
	"sketch": {"-o", "out.sketch"}, "idf": {"-o", "out.idf"},
	"contaminate": {"--items", "good.jsonl"}, "near": {"--index", "index", "--memory", "exact"}, "dedup": nil,
	"apply": {"--flags", "flags"},
}

// To follow the advice about an input that cannot be read leads further, for each command.
func TestAdviceAboutInputs(t *testing.T) {
	a := newAdvisor(t)
	dir := t.TempDir()
	write := func(name string, content []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range unreadables {
		write(name, content)
	}
	write("good.jsonl", []byte("{\"text\":\"a day of many\"}\n"))
	write("flags", []byte("1\n1\n"))
	say := func(args []string) (code int, message string) {
		cmd := exec.Command("mithril-stream", args...)
		var stderr bytes.Buffer
		cmd.Dir, cmd.Stderr = dir, &stderr
		code = exitCode(cmd.Run())
		os.Remove(filepath.Join(dir, "out.sketch"))
		os.Remove(filepath.Join(dir, "out.idf"))
		return code, stderr.String()
	}
	if code, message := say([]string{"-q", "--index", "index", "--memory", "exact", "good.jsonl"}); code != 0 {
		t.Fatal(message)
	}
	advised := regexp.MustCompile(
		`--(?:format [a-z]+|on-error keep|max-unreadable 1|records "?\w+"?|quoted\b|field auto\b)`)
	followed := map[string]bool{}
	for command, more := range readers {
		for name := range unreadables {
			args := slices.Concat(strings.Fields(command), more)
			if command == "near" {
				args = []string{"near", "index"}
			}
			args = append(args, name)
			code, message := say(args)
			if code == 0 {
				continue
			}
			if wrong := a.wrongAdvice(command, message); len(wrong) > 0 {
				t.Errorf("%q of %s: no such flag: %q: %s", command, name, wrong, message)
				continue
			}
			for _, flags := range advised.FindAllString(message, -1) {
				words := strings.Fields(strings.ReplaceAll(flags, `"`, ""))
				if followed[fmt.Sprint(command, words)] {
					continue
				}
				_, next := say(append(slices.Clone(args), words...))
				followed[fmt.Sprint(command, words)] = true
				if next == message || strings.Contains(next, "usage") || strings.Contains(next, "unknown flag") {
					t.Errorf("%q of %s: %s leads no further:\n%s%s", command, name, flags, message, next)
				}
			}
		}
	}
	if len(followed) < 40 {
		t.Errorf("%d pieces of advice are followed: %v", len(followed), followed)
	}
}
