package main

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// data is a file of records, plain and compressed.
type data struct {
	path, compressed, output, index string
	name                            string
	records, longest                int // longest in bytes
	bytes                           int64
	checksum                        string // of the plain file
}

func (d data) String() string {
	return fmt.Sprintf("%s (%d records of %d bytes on average, %.0f MB)", d.name, d.records,
		d.bytes/int64(max(1, d.records)), float64(d.bytes)/1e6)
}

// env is what commands find the files by.
func (d data) env() []string {
	return []string{"RECORDS=" + d.path, "RECORDS_GZ=" + d.compressed, "OUTPUT=" + d.output, "INDEX=" + d.index}
}

// load counts the records of a file and compresses it into the workplace.
func (w workplace) load(path string) (data, error) {
	d := data{path: path, name: filepath.Base(path), output: filepath.Join(string(w), "output"),
		index: filepath.Join(string(w), "index")}
	d.compressed = filepath.Join(string(w), d.name+".gz")
	f, err := os.Open(path)
	if err != nil {
		return d, err
	}
	defer f.Close()
	hash := sha256.New()
	lines := bufio.NewReaderSize(io.TeeReader(f, hash), 1<<20)
	for {
		n, err := lineLength(lines)
		if n > 0 {
			d.records++
			d.bytes += int64(n)
			d.longest = max(d.longest, n)
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return d, err
		}
	}
	d.checksum = fmt.Sprintf("%x", hash.Sum(nil)[:8])
	if _, err := os.Stat(d.compressed); err == nil {
		return d, nil
	}
	return d, compress(path, d.compressed)
}

// lineLength reads a line and returns its length.
func lineLength(r *bufio.Reader) (int, error) {
	total := 0
	for {
		part, err := r.ReadSlice('\n')
		total += len(part)
		if err != bufio.ErrBufferFull {
			return total, err
		}
	}
}

// compress uses gzip's own default level.
func compress(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	defer out.Close()
	w, err := gzip.NewWriterLevel(out, 6)
	if err != nil {
		return err
	}
	if _, err := io.Copy(w, in); err != nil {
		return err
	}
	return w.Close()
}
