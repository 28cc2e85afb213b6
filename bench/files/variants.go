package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"

	"github.com/mithril-stream/mithril-stream/internal/compress"
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
	wet, members, lineMembers := create("a.wet"), create("a.wet.gz"), create("a.members.jsonl.gz")
	if err != nil {
		return err
	}
	err = copyRecords(in, lines, array, text, zipped, wet, members, lineMembers, rows)
	rows.Flush()
	err = errors.Join(err, rows.Error(), zipped.Close())
	for i, b := range buffers {
		err = errors.Join(err, b.Flush(), files[i].Close())
	}
	return err
}

// columnsScript makes files of columns of a.jsonl, and copy.py, which copies one row group by row
// group.
const columnsScript = `
import pyarrow as pa, pyarrow.json as json, pyarrow.parquet as parquet
table = json.read_json("a.jsonl", json.ReadOptions(block_size=64 << 20))
with pa.ipc.new_stream("a.arrow", table.schema) as stream:
    stream.write_table(table, max_chunksize=1000)
parquet.write_table(table, "zstd.parquet", compression="zstd")
parquet.write_table(table, "groups.parquet", compression="zstd", row_group_size=1000)
parquet.write_table(table, "none.parquet", compression="none")
with open("copy.py", "w") as copy:
    copy.write("""
import sys, pyarrow.parquet as parquet
name, codec = sys.argv[1:]
rows = parquet.ParquetFile(name)
with parquet.ParquetWriter("out.parquet", rows.schema_arrow, compression=codec) as out:
    for group in range(rows.num_row_groups):
        out.write_table(rows.read_row_group(group, use_threads=False))
""")
parquet.write_table(table, "a.parquet")
`

// hasColumns reports whether a command reads a column file.
func hasColumns(command string) bool {
	return strings.Contains(command, ".parquet") || strings.Contains(command, ".arrow")
}

// python is a Python with pyarrow, as is to be hoped.
func python() string { return cmp.Or(os.Getenv("PYARROW_PYTHON"), "python3") }

var madeColumns sync.Once

// makeColumns makes column files of the records, once, and says whether they are there: it takes a
// Python with pyarrow, called python3 or what PYARROW_PYTHON says.
func makeColumns(dir string) bool {
	madeColumns.Do(func() {
		cmd := exec.Command(python(), "-c", columnsScript)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			log.Printf("files of columns are left out, since none could be made: %v\n%s", err, out)
		}
	})
	_, err := os.Stat(filepath.Join(dir, "a.parquet"))
	return err == nil
}

// copyRecords leaves errors of writes to the writers, which all keep their first one.
func copyRecords(in io.Reader, lines, array, text, zipped, wet, members, lineMembers io.Writer,
	rows *csv.Writer) error {
	rows.Write([]string{"id", "text"})
	packer := compress.NewPacker(0)
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
		conversion := wetRecord(n, record.Text)
		wet.Write(conversion)
		members.Write(packer.Append(nil, conversion))
		lineMembers.Write(packer.Append(nil, line))
	}
}

// wetRecord is a text as Common Crawl stores it.
func wetRecord(n int, text string) []byte {
	return fmt.Appendf(nil, "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: "+
		"http://www.example/page/%d\r\nWARC-Date: 2026-01-02T03:04:05Z\r\n"+
		"WARC-Record-ID: <urn:uuid:%08x-0000-4000-8000-000000000000>\r\nContent-Type: text/plain\r\nContent-Length: "+
		"%d\r\n\r\n%s\r\n\r\n", n, n, len(text), text)
}
