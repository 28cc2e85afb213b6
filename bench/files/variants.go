package main

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/klauspost/compress/gzip"
)

// writeVariants writes the records, which have their text in "text", in every format to dir.
func writeVariants(records, dir string) error {
	in, err := os.Open(records)
	if err != nil {
		return err
	}
	defer in.Close()
	var files []*os.File
	var buffers []*bufio.Writer
	create := func(name string) *bufio.Writer {
		f, failed := os.Create(filepath.Join(dir, name))
		err = errors.Join(err, failed)
		files, buffers = append(files, f), append(buffers, bufio.NewWriter(f))
		return buffers[len(buffers)-1]
	}
	lines, array, text := create("a.jsonl"), create("a.json"), create("a.txt")
	rows, zipped := csv.NewWriter(create("a.csv")), gzip.NewWriter(create("a.jsonl.gz"))
	if err != nil {
		return err
	}
	err = copyRecords(in, lines, array, text, zipped, rows)
	rows.Flush()
	err = errors.Join(err, rows.Error(), zipped.Close())
	for i, b := range buffers {
		err = errors.Join(err, b.Flush(), files[i].Close())
	}
	return err
}

// copyRecords leaves errors of writes to the writers, which all keep their first one.
func copyRecords(in io.Reader, lines, array, text, zipped io.Writer, rows *csv.Writer) error {
	rows.Write([]string{"id", "text"})
	r := bufio.NewReaderSize(in, 1<<20)
	for n := 0; ; n++ {
		line, err := r.ReadBytes('\n')
		if err == io.EOF {
			_, err = io.WriteString(array, "]\n")
			return err
		}
		if err != nil {
			return err
		}
		var record struct{ Text string }
		if err := json.Unmarshal(line, &record); err != nil {
			return err
		}
		lines.Write(line)
		zipped.Write(line)
		array.Write([]byte("[,"[min(n, 1):][:1]))
		array.Write(line)
		text.Write(append(bytes.ReplaceAll([]byte(record.Text), []byte{0}, nil), 0))
		rows.Write([]string{strconv.Itoa(n), record.Text})
	}
}
