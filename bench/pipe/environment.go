package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// writeEnvironment says on what and with what is measured.
func (c common) writeEnvironment(out io.Writer) error {
	program := c.program()
	var b strings.Builder
	fmt.Fprintf(&b, "date: %s\n", time.Now().UTC().Format("2006-01-02"))
	fmt.Fprintf(&b, "processor: %s, %d cores\n", processor(), runtime.NumCPU())
	fmt.Fprintf(&b, "system: %s\n", firstLine("uname", "-sm"))
	fmt.Fprintf(&b, "go: %s\n", runtime.Version())
	fmt.Fprintf(&b, "gzip: %s\n", firstLine("gzip", "--version"))
	fmt.Fprintf(&b, "program: %s\n", firstLine("sh", "-c", program+" --version"))
	fmt.Fprintf(&b, "commit: %s\n", firstLine("git", "rev-parse", "--short", "HEAD"))
	fmt.Fprintf(&b, "load average at the start: %s\n", loadAverage())
	fmt.Fprintf(out, "```\n%s```\n\n", &b)
	return c.keep("environment.txt", b.String())
}

func firstLine(name string, args ...string) string {
	text, err := exec.Command(name, args...).Output()
	if err != nil {
		return "unknown"
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return line
}

func processor() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return firstLine("sysctl", "-n", "machdep.cpu.brand_string")
	}
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(line, "model name"); ok {
			return strings.Trim(name, " \t:\n")
		}
	}
	return runtime.GOARCH
}

// loadAverage is the load of the last minute: a machine that does other things makes slow figures.
func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(text), " ")
	return first
}
