package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"text/tabwriter"

	"github.com/mithril-stream/mithril-stream/bench/harness/program"
	"github.com/mithril-stream/mithril-stream/bench/harness/records"
)

// An endless is an input of so many bytes, of which the last record may reach beyond: texts of 2 KB
// that resemble no other.
type endless struct {
	append func(dst []byte, id uint64, text []byte) []byte // a record
	left   int64                                           // bytes
	rng    *rand.Rand
	text   []byte
	id     uint64
}

func (e *endless) next(dst []byte) []byte {
	if e.left <= 0 {
		return dst
	}
	e.text = e.text[:0]
	for range 250 {
		const letters = "etaoinshrdlcumwf"
		for x := e.rng.Uint32(); x > 15; x >>= 4 {
			e.text = append(e.text, letters[x&15])
		}
		e.text = append(e.text, ' ')
	}
	e.id++
	dst = e.append(dst, e.id, e.text)
	e.left -= int64(len(dst))
	return dst
}

// measureMemory feeds the given number of bytes of each format to the program and prints what
// memory it took.
func measureMemory(binary string, bytes int64) error {
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "\tGB\trecords\tMB/s\tpeak, MiB\tindex, MiB\tbeside it, MiB")
	for _, f := range []struct {
		name   string
		append func(dst []byte, id uint64, text []byte) []byte
	}{
		{"jsonl", func(dst []byte, id uint64, text []byte) []byte {
			return fmt.Appendf(dst, "{\"id\":%d,\"text\":\"%s\"}\n", id, text)
		}},
		{"csv", func(dst []byte, id uint64, text []byte) []byte {
			if id == 1 {
				dst = append(dst, "id,text\n"...)
			}
			return fmt.Appendf(dst, "%d,\"%s\nand a second line\"\n", id, text)
		}},
		{"text", func(dst []byte, id uint64, text []byte) []byte { return append(append(dst, text...), '\n') }},
	} {
		in := &endless{append: f.append, left: bytes, rng: rand.New(rand.NewPCG(1, 1))}
		s, err := program.Run(binary, []string{"--format", f.name, "--capacity", fmt.Sprint(bytes / 1500)},
			&records.Reader{Next: in.next})
		if err != nil {
			return err
		}
		if s.Records != in.id {
			return fmt.Errorf("%s: %d of %d records were read", f.name, s.Records, in.id)
		}
		const mib = 1 << 20
		fmt.Fprintf(table, "%s\t%.2f\t%d\t%.0f\t%d\t%d\t%d\n", f.name, float64(s.BytesIn)/1e9, s.Records,
			float64(s.BytesIn)/1e6/s.Seconds,
			s.PeakMemory/mib, s.IndexBytes()/mib, (s.PeakMemory-s.IndexBytes())/mib)
		table.Flush()
	}
	return nil
}
