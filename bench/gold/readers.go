package main

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
)

// A reader takes the text out of a page.
type reader struct {
	name string
	read func(p page) (string, error)
}

// htmlReaders are text browsers and a library, which differ in what they do with links, tables,
// lists and navigation.
func htmlReaders(library *htmlToText) []reader {
	return []reader{
		{"w3m", func(p page) (string, error) { return output("w3m", "-dump", "-cols", "80", "-O", "UTF-8", p.path) }},
		{"lynx", func(p page) (string, error) {
			return output("lynx", "-dump", "-nolist", "-width=100", "-display_charset=utf-8", p.path)
		}},
		{"html2text", func(p page) (string, error) { return library.read(p.path) }},
	}
}

// pdfReaders are three engines.
var pdfReaders = []reader{
	{"pdftotext", func(p page) (string, error) {
		return output("pdftotext", "-f", strconv.Itoa(p.first), "-l", strconv.Itoa(p.first+1), p.path, "-")
	}},
	{"mutool", func(p page) (string, error) {
		return output("mutool", "draw", "-q", "-F", "txt", p.path, fmt.Sprintf("%d-%d", p.first, p.first+1))
	}},
	{"ghostscript", func(p page) (string, error) {
		return output("gs", "-q", "-dBATCH", "-dNOPAUSE", "-sDEVICE=txtwrite", "-sOutputFile=-",
			fmt.Sprintf("-dFirstPage=%d", p.first), fmt.Sprintf("-dLastPage=%d", p.first+1), p.path)
	}},
}

func output(name string, args ...string) (string, error) {
	out, err := exec.Command(name, args...).Output()
	return string(out), err
}

//go:embed html2text.py
var htmlToTextScript string

// htmlToText is a process with the Python library html2text: to start one for each page would take
// longer than to read it.
type htmlToText struct {
	process *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

func startHTMLToText() (*htmlToText, error) {
	h := &htmlToText{process: exec.Command("/usr/bin/python3", "-c", htmlToTextScript)}
	in, err := h.process.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := h.process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	h.in, h.out = in, bufio.NewReader(out)
	return h, h.process.Start()
}

func (h *htmlToText) read(path string) (text string, err error) {
	if _, err := fmt.Fprintln(h.in, path); err != nil {
		return "", err
	}
	line, err := h.out.ReadBytes('\n')
	if err != nil {
		return "", fmt.Errorf("html2text: %w (is python3-html2text installed?)", err)
	}
	return text, json.Unmarshal(line, &text)
}

func (h *htmlToText) close() error {
	return errors.Join(h.in.Close(), h.process.Wait())
}
