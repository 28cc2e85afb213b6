package warc_test

import (
	"fmt"
	"io"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/compress"
	"github.com/mithril-stream/mithril-stream/internal/warc"
)

const archive = "WARC/1.0\r\nWARC-Type: conversion\r\nContent-Length: 17\r\n\r\nBread and butter.\r\n\r\n"

// The records of an archive, each with everything that belongs to it.
func ExampleReader() {
	src, err := compress.NewMemberReader(io.NopCloser(strings.NewReader(archive)), "crawl.wet", 0)
	if err != nil {
		panic(err)
	}
	r := warc.NewReader(src, 1<<20)
	for {
		data, record, err := r.Next(nil)
		if err == io.EOF {
			break
		}
		if err != nil {
			panic(err)
		}
		fmt.Printf("%d bytes, the block from %d on: %.17s\n", len(data), record.Header, data[record.Header:])
	}
	// Output: 76 bytes, the block from 55 on: Bread and butter.
}
