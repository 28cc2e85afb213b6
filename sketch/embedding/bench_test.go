package embedding

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"
)

// BenchmarkAppend makes vectors of the texts of a file of JSON Lines with a model, if RECORDS and
// MODEL name them; else of the texts of the tests.
func BenchmarkAppend(b *testing.B) {
	model, records := os.Getenv("MODEL"), os.Getenv("RECORDS")
	if model == "" {
		model = "testdata/wordpiece"
	}
	if records == "" {
		records = "testdata/wordpiece/golden.jsonl"
	}
	e, texts, size := openModel(b, model).NewEncoder(), benchmarkTexts(b, records), 0
	for _, text := range texts {
		size += len(text)
	}
	vector := make([]float32, 0, e.model.dims)
	b.SetBytes(int64(size / len(texts)))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		e.Append(vector, texts[i%len(texts)])
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "texts/s")
}

func benchmarkTexts(b *testing.B, path string) (texts [][]byte) {
	f, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var record struct{ Text string }
		if err := json.Unmarshal(lines.Bytes(), &record); err != nil {
			b.Fatal(err)
		}
		texts = append(texts, []byte(record.Text))
	}
	return texts
}
