package tests

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTablesInShardsOfABucket: objects are what the files would be. Where one cannot be written the
// run fails, and leaves those before it.
func TestTablesInShardsOfABucket(t *testing.T) {
	server, dir := startBucket(t), t.TempDir()
	for i, text := range days(3) {
		if err := os.WriteFile(filepath.Join(dir, string(rune('a'+i))+".jsonl"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for prefix, how := range map[string]string{
		"inputs": "--to csv", "parts": "--to parquet --shard-records 150", "schema": "--to arrow --schema text:string",
	} {
		args := append([]string{"-q", dir}, strings.Fields(how)...)
		local := filepath.Join(t.TempDir(), "out")
		for _, out := range []string{local, inBucket + prefix} {
			if r := runWithCache(t, dir, "", append(args, "--output-dir", out)...); r.code != 0 {
				t.Fatalf("%s: %+v", how, r)
			}
		}
		files, err := os.ReadDir(local)
		if err != nil || len(files) < 3 {
			t.Fatal(files, err)
		}
		for _, file := range files {
			want, err := os.ReadFile(filepath.Join(local, file.Name()))
			if err != nil {
				t.Fatal(err)
			}
			if got := server.Objects()["/bucket/"+prefix+"/"+file.Name()]; !bytes.Equal(got, want) {
				t.Errorf("%s: %s has %d bytes, want %d", how, file.Name(), len(got), len(want))
			}
		}
	}

	server.Disturb(func(w http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(server.ObjectOf(r), "failed/b.csv") {
			w.WriteHeader(http.StatusForbidden)
			return true
		}
		return false
	}, nil)
	r := runWithCache(t, dir, "", "-q", dir, "--to", "csv", "--output-dir", inBucket+"failed")
	if r.code != 1 || !strings.Contains(r.messages, inBucket+"failed/b.csv") {
		t.Errorf("%+v", r)
	}
	objects := server.Objects()
	if objects["/bucket/failed/a.csv"] == nil || objects["/bucket/failed/c.csv"] != nil {
		t.Error("the objects are not those before the one that failed")
	}
}
