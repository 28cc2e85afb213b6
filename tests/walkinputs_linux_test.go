package tests

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unicode/utf16"
)

// foreignContents are contents of files that hold something else than their names say.
func foreignContents(t *testing.T, records []byte) map[string][]byte {
	t.Helper()
	packed := gzipped(t, records)
	wide := utf16.Encode([]rune("\ufeff" + string(records)))
	inUTF16, err := binary.Append(nil, binary.LittleEndian, wide)
	if err != nil {
		t.Fatal(err)
	}
	return map[string][]byte{
		"a page":        []byte("<!DOCTYPE html>\n<html><title>404</title>\n<body>not found</body></html>\n"),
		"a pointer":     []byte("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"),
		"packed twice":  gzipped(t, packed),
		"half a gzip":   packed[:len(packed)/2],
		"an array":      []byte(`[{"text":"one two three"},{"text":"four five six"}]`),
		"UTF-16":        inUTF16,
		"half a record": records[:len(records)-20],
	}
}

func gzipped(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestForeignInputs gives all commands files that are not what they are to be, one after another.
// No command passes over such an input and ends with 0; that a record is cut off in the middle is
// said at least.
func TestForeignInputs(t *testing.T) {
	base := walkFiles(t)
	records, err := os.ReadFile(filepath.Join(base, "in.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	contents := foreignContents(t, bytes.TrimSuffix(records, []byte("no JSON\n")))
	for _, name := range slices.Sorted(maps.Keys(walks)) {
		t.Run(strings.ReplaceAll("filter "+name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			for _, path := range []string{"in.jsonl", "in.sketch", "items.jsonl", "flags", "ids", "ix"} {
				if args := walks[name].args; slices.Contains(strings.Fields(args), path) {
					for what, content := range contents {
						walkForeign(t, copyOf(t, base), args, path, what, content)
					}
				}
			}
		})
	}
}

// walkForeign runs a command with a foreign file: beside the records, or in place of another file.
func walkForeign(t *testing.T, dir, args, path, what string, content []byte) {
	t.Helper()
	const other = "other.jsonl"
	if err := os.WriteFile(filepath.Join(dir, other), content, 0o666); err != nil {
		t.Fatal(err)
	}
	given := other
	if path == "in.jsonl" {
		given = path + " " + other
	}
	args = strings.Replace(args, path, given, 1)
	r := walked(t, dir, args, nil)
	isSaid := strings.Contains(r.messages, other) ||
		strings.HasPrefix(args, "apply") // which misses flags
	if r.code == 0 && what == "half a record" && path == "in.jsonl" {
		isSaid = strings.Contains(r.messages+r.out, "cut off") || strings.Contains(r.messages, "2 could not be read")
	} else if r.code == 0 {
		isSaid = false
	}
	if !isSaid {
		t.Errorf("%s, where %s is %s: exit code %d: %s", args, other, what, r.code, r.messages)
	}
}

// manyEqualLines makes a file of lines of 1 KiB, so that any part of it that is read by pages ends
// with a record.
func manyEqualLines(t *testing.T, path string) {
	t.Helper()
	var b bytes.Buffer
	for i := range 24 << 10 {
		line := fmt.Sprintf(`{"id":"r%d","c":"%d","s":"a.example","text":"%x %x`, i, i/2, i*7919, i*104729)
		fmt.Fprintf(&b, "%s%s\"}\n", line, strings.Repeat(" the same words", 70)[:1024-len(line)-3])
	}
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestCommandsNoticeTruncation has the files that commands read be truncated while they are read,
// where a record ends. No command ends with 0.
func TestCommandsNoticeTruncation(t *testing.T) {
	base := walkFiles(t)
	all := []string{
		"contaminate in.jsonl --items long.jsonl", "eval in.jsonl --labels long.jsonl --id id --cluster c",
	}
	for _, w := range walks {
		if strings.Contains(w.args, "in.jsonl") {
			all = append(all, strings.Replace(w.args, "in.jsonl", "long.jsonl", 1))
		}
	}
	disturbed := 0
	for _, args := range all {
		dir := copyOf(t, base)
		path := filepath.Join(dir, "long.jsonl")
		manyEqualLines(t, path)
		cmd := exec.Command("mithril-stream", strings.Fields(args)...)
		var messages strings.Builder
		cmd.Dir, cmd.Stderr = dir, &messages
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		isTruncated := make(chan bool)
		ended := make(chan struct{})
		go func() { isTruncated <- truncateWhileRead(cmd.Process, path, ended) }()
		err := cmd.Wait()
		close(ended)
		isSaid := strings.Contains(messages.String(), "truncated") || strings.HasPrefix(args, "apply")
		if !<-isTruncated {
			t.Logf("%s: it read the file too fast to be disturbed", args)
			continue
		}
		disturbed++
		if exitCode(err) == 0 || !isSaid {
			t.Errorf("%s: exit code %d: %s", args, exitCode(err), &messages)
		}
	}
	if disturbed == 0 {
		t.Error("no command was disturbed")
	}
}

// truncateWhileRead truncates a file that a process has begun to read, and reports whether it was
// in time.
func truncateWhileRead(p *os.Process, path string, ended <-chan struct{}) bool {
	const most = 16 << 20 // far enough from the end
	fds := fmt.Sprintf("/proc/%d/fd", p.Pid)
	for {
		select {
		case <-ended:
			return false
		default:
		}
		list, _ := os.ReadDir(fds)
		for _, fd := range list {
			if to, err := os.Readlink(filepath.Join(fds, fd.Name())); err != nil || to != path {
				continue
			}
			if at := positionOf(p, fd.Name()); at < 1<<20 || at > most || p.Signal(syscall.SIGSTOP) != nil {
				continue
			}
			inTime := positionOf(p, fd.Name()) <= most && os.Truncate(path, 4096) == nil
			return p.Signal(syscall.SIGCONT) == nil && inTime
		}
	}
}

// positionOf is where in a file a process reads next.
func positionOf(p *os.Process, fd string) (at int64) {
	info, _ := os.ReadFile(fmt.Sprintf("/proc/%d/fdinfo/%s", p.Pid, fd))
	_, _ = fmt.Sscanf(string(info), "pos:%d", &at)
	return at
}
