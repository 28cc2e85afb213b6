package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"

	"github.com/mithril-stream/mithril-stream/bench/harness/turns"
)

type threadsCommand struct{ common }

// Run compares the outputs of one thread and of eight.
func (c threadsCommand) Run(out io.Writer, w workplace) error {
	return c.eachFile(w, func(_ int, d data) error {
		one, err := c.checksum(d.path, 1)
		if err != nil {
			return err
		}
		eight, err := c.checksum(d.path, 8)
		if err != nil {
			return err
		}
		if one != eight {
			return fmt.Errorf("%s: --threads 1 and --threads 8 give different outputs", d.path)
		}
		fmt.Fprintf(out, "--threads 1 and --threads 8 give the same output on %s: SHA-256 %s…\n\n", d, one[:16])
		return nil
	})
}

// checksum is the one of all kept records.
func (c threadsCommand) checksum(path string, threads int) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	hash := sha256.New()
	cmd := exec.Command(c.Program, "-q", "--threads", strconv.Itoa(threads))
	cmd.Stdin, cmd.Stdout = f, hash
	_, err = turns.Run(cmd)
	return fmt.Sprintf("%x", hash.Sum(nil)), err
}
