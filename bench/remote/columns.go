package main

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/mithril-stream/mithril-stream/bench/harness/records"
	"github.com/mithril-stream/mithril-stream/bench/harness/turns"
	"github.com/mithril-stream/mithril-stream/internal/hftest"
)

// commands are what is asked of a table. FILE is the table, and DIR is for what is written.
var commands = []string{
	"sketch -q -o DIR/x.sketch FILE",
	"pairs -q -o DIR/x.pairs FILE",
	"groups -q -o DIR/x.parquet FILE",
	"-q -o /dev/null --flags DIR/x.flags FILE",
	"-q --to jsonl -o /dev/null FILE",
}

// measureColumns makes a table of the records of a file and of a column of noise, twice as long as
// the texts, and measures what commands fetch of it from a Hub, and their CPU time from there and
// with the table as a file, over that of the first program with the file.
func measureColumns(programs []string, path, dir string, rounds int) error {
	wide, table := filepath.Join(dir, "wide.jsonl"), filepath.Join(dir, "wide.parquet")
	if err := widen(path, wide); err != nil {
		return err
	}
	if out, err := exec.Command(programs[0], "-q", "--threshold", "1", "-o", table, wide).CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	body, err := os.ReadFile(table)
	if err != nil {
		return err
	}
	hub := hftest.Start()
	defer hub.Close()
	hub.Commit("bench/set", "main", map[string][]byte{"wide.parquet": body})
	var fetched, requests atomic.Int64
	hub.Wrap(func(w http.ResponseWriter) http.ResponseWriter {
		requests.Add(1)
		return &counted{w, &fetched}
	})
	fmt.Printf("a table of %d bytes, medians of %d turns\n\n", len(body), rounds)
	fmt.Println("| command | program | fetched, MB | of the table | requests | CPU | CPU with a file |")
	fmt.Println("|---|---|---|---|---|---|---|")
	for _, command := range commands {
		seconds, bytes, asked := map[string][]float64{}, map[string]int64{}, map[string]int64{}
		for range rounds {
			for _, program := range programs {
				for _, input := range []string{"hf://datasets/bench/set/wide.parquet", table} {
					fetched.Store(0)
					requests.Store(0)
					used, err := cpu(program, strings.NewReplacer("FILE", input, "DIR", dir).Replace(command), hub.URL)
					if err != nil {
						return err
					}
					seconds[program+input] = append(seconds[program+input], used)
					if input != table {
						bytes[program], asked[program] = fetched.Load(), requests.Load()
					}
				}
			}
		}
		for _, program := range programs {
			remote := seconds[program+"hf://datasets/bench/set/wide.parquet"]
			base := seconds[programs[0]+table]
			fmt.Printf("| %s | %s | %.1f | %.3f | %d | %.2f | %.2f |\n", strings.TrimSuffix(command, " FILE"),
				filepath.Base(program), float64(bytes[program])/1e6, float64(bytes[program])/float64(len(body)),
				asked[program], turns.Ratio(remote, base), turns.Ratio(seconds[program+table], base))
		}
	}
	return nil
}

// widen adds a member of noise to each record.
func widen(from, to string) error {
	all, err := records.Read[map[string]any](from)
	if err != nil {
		return err
	}
	return records.Write(to, func(w *bufio.Writer) error {
		noise, encoder := rand.NewChaCha8([32]byte{1}), json.NewEncoder(w)
		for _, record := range all {
			text, _ := record["text"].(string)
			raw := make([]byte, len(text))
			noise.Read(raw)
			record["raw"] = hex.EncodeToString(raw)
			if err := encoder.Encode(record); err != nil {
				return err
			}
		}
		return nil
	})
}

// cpu is the seconds of CPU time that a program takes.
func cpu(program, args, hub string) (float64, error) {
	cmd := exec.Command(program, strings.Fields(args)...)
	cmd.Env = append(os.Environ(), "HF_TOKEN=", "HF_HOME=/none", "HF_ENDPOINT="+hub)
	return turns.Run(cmd)
}

// counted counts the bytes of answers.
type counted struct {
	http.ResponseWriter
	bytes *atomic.Int64
}

func (c *counted) Write(p []byte) (int, error) {
	n, err := c.ResponseWriter.Write(p)
	c.bytes.Add(int64(n))
	return n, err
}
