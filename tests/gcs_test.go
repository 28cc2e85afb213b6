//go:build integration

package tests

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mithril-stream/mithril-stream/internal/freeport"
)

// TestIntegrationGCS reads, writes and keeps an index in a bucket of a server that others have
// written.
func TestIntegrationGCS(t *testing.T) {
	endpoint := startGCS(t)
	answer, err := http.Post(endpoint+"/storage/v1/b", "application/json", strings.NewReader(`{"name":"crawl"}`))
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatal(answer, err)
	}
	answer.Body.Close()
	t.Setenv("STORAGE_EMULATOR_HOST", endpoint)
	keepsWhatFilesKeep(t, "gs://crawl/")
}

// keepsWhatFilesKeep has inputs, outputs and an index be in a bucket, as they are in files.
func keepsWhatFilesKeep(t *testing.T, bucket string) {
	dir, cache := t.TempDir(), t.TempDir()
	for i := range 3 {
		name := fmt.Sprintf("part-%d.jsonl.gz", i)
		path := filepath.Join(dir, name)
		writeShard(t, path, i)
		// --equal keeps these records, none of which is twice in a file
		if r := runWithCache(t, cache, "", "-q", "--equal", "-o", bucket+"2026/day/"+name, path); r.code != 0 {
			t.Fatalf("%+v", r)
		}
	}
	index := filepath.Join(t.TempDir(), "index")
	for _, memory := range []string{"bloom", "exact"} {
		want := runWithCache(t, cache, "", "-q", "--memory", memory, dir)
		if want.code != 0 || len(want.out) < 1<<20 {
			t.Fatalf("%d bytes: %s", len(want.out), want.messages)
		}
		for i, args := range [][]string{
			{bucket + "2026/day/"}, {bucket + "*/day/part-?.jsonl.gz"},
			{"--repeat", "replay", "--index", index + memory, bucket + "2026/day/"},
			{"--repeat", "replay", "--index", index + memory, bucket + "2026/day/"},
		} {
			args = append([]string{"-q", "--memory", memory}, args...)
			got := runWithCache(t, cache, "", args...)
			if got.code != 0 || got.out != want.out || !saysOnly(got.messages, i == 3) {
				t.Errorf("%s: %d bytes, want %d: %s", args, len(got.out), len(want.out), got.messages)
			}
		}
		// an index whose log is no larger than a part: fake-gcs-server takes nothing in parts
		first := "part-0.jsonl.gz"
		want = runWithCache(t, cache, "", "-q", "--memory", memory, filepath.Join(dir, first))
		for _, input := range []string{filepath.Join(dir, first), bucket + "2026/day/" + first} {
			own := bucket + memory + "-" + filepath.Base(filepath.Dir(input))
			for i := range 2 { // the second one repeats the first
				got := runWithCache(t, cache, "", "-q", "--memory", memory, "--repeat", "replay", "--index", own, input)
				if got.code != 0 || got.out != want.out || !saysOnly(got.messages, i == 1) {
					t.Errorf("%s: %d bytes, want %d: %s", input, len(got.out), len(want.out), got.messages)
				}
			}
		}
		if r := runWithCache(t, cache, "", "index", "verify", bucket+memory+"-day"); r.code != 0 {
			t.Errorf("%+v", r)
		}
	}
	for what, c := range map[string]struct{ input, says string }{
		"absent":  {bucket + "none.jsonl", bucket + "none.jsonl: there is no such object"},
		"nothing": {bucket + "2027/", "no object matches"},
	} {
		got := runWithCache(t, cache, "", "-q", c.input)
		if got.code == 0 || !strings.Contains(got.messages, c.says) || got.out != "" {
			t.Errorf("%s: %+v", what, got)
		}
	}
	scheme, _, _ := strings.Cut(bucket, "://")
	got := runWithCache(t, cache, "", "-q", "-o", scheme+"://other/x.jsonl", dir)
	if got.code == 0 || !strings.Contains(got.messages, scheme+"://other/x.jsonl: there is no bucket other") {
		t.Errorf("%+v", got)
	}
}

// startServer starts a program that serves at a port, and waits until it answers.
func startServer(t *testing.T, port int, program string, args ...string) (endpoint string) {
	t.Helper()
	var log bytes.Buffer
	server := exec.Command(program, args...)
	server.Stdout, server.Stderr = &log, &log
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		server.Process.Kill()
		server.Wait()
		if t.Failed() {
			t.Log(log.String()[max(0, log.Len()-4000):])
		}
	})
	endpoint = fmt.Sprintf("http://127.0.0.1:%d", port)
	for deadline := time.Now().Add(time.Minute); ; {
		answer, err := http.Get(endpoint)
		if err == nil {
			answer.Body.Close()
			return endpoint
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s does not answer: %v", program, err)
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-t.Context().Done():
		}
	}
}

// reservedPort returns a port that no other program gets until the test has ended.
func reservedPort(t *testing.T) int {
	t.Helper()
	port, err := freeport.Reserve()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := port.Release(); err != nil {
			t.Error(err)
		}
	})
	return port.Number
}

// startGCS starts fake-gcs-server, and returns its address.
func startGCS(t *testing.T) (endpoint string) {
	t.Helper()
	program := os.Getenv("FAKE_GCS_SERVER")
	if program == "" {
		program = "fake-gcs-server"
	}
	if _, err := exec.LookPath(program); err != nil {
		const missing = "there is no server of Google Cloud Storage: go install " +
			"github.com/fsouza/fake-gcs-server@v1.56.0, and name its program in FAKE_GCS_SERVER"
		if os.Getenv("CI") != "" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	port := reservedPort(t)
	return startServer(t, port, program, "-scheme", "http", "-backend", "memory", "-host", "127.0.0.1", "-port",
		fmt.Sprint(port), "-public-host", fmt.Sprintf("127.0.0.1:%d", port))
}
