// Package turns runs commands in turns and compares their CPU time.
package turns

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// A Contest is commands of the shell over the same input, which run in turns. The first is the
// baseline.
type Contest struct {
	Name     string
	Commands []string
}

// Run prints the median of the CPU time of each command, and of its ratios to the first one. The
// commands run in the directory; replace is what their words stand for.
func (c Contest) Run(table *tabwriter.Writer, dir string, replace map[string]string, rounds int) error {
	fmt.Fprintf(table, "%s\tCPU, s\tratio\n", c.Name)
	seconds := make([][]float64, len(c.Commands))
	for round := range rounds {
		for i := range c.Commands {
			if round%2 == 1 { // in turns, so that what else the machine does meets all of them
				i = len(c.Commands) - 1 - i
			}
			command := c.Commands[i]
			for word, is := range replace {
				command = strings.ReplaceAll(command, word, is)
			}
			cmd := exec.Command("sh", "-c", command+" > /dev/null")
			cmd.Dir, cmd.Stderr, cmd.Env = dir, os.Stderr, append(os.Environ(), "LC_ALL=C")
			if err := cmd.Run(); err != nil {
				return fmt.Errorf("%s: %w", command, err)
			}
			seconds[i] = append(seconds[i], CPU(cmd))
		}
	}
	for i, command := range c.Commands {
		fmt.Fprintf(table, "%s\t%.3f\t%.2f\n", command, Median(seconds[i]), Ratio(seconds[i], seconds[0]))
	}
	return table.Flush()
}

// Wall runs commands of the shell in turns, and returns the seconds that each took, and how many
// times as fast as the first one each was: medians, and those of the fastest turns.
func Wall(commands []string, rounds int) (seconds, ratios, fastest []float64, err error) {
	all := make([][]float64, len(commands))
	for range rounds {
		for i, command := range commands {
			cmd := exec.Command("sh", "-c", command)
			cmd.Stderr = os.Stderr
			began := time.Now()
			if err := cmd.Run(); err != nil {
				return nil, nil, nil, fmt.Errorf("%s: %w", command, err)
			}
			all[i] = append(all[i], time.Since(began).Seconds())
		}
	}
	for _, took := range all {
		seconds, ratios = append(seconds, Median(took)), append(ratios, Ratio(all[0], took))
		fastest = append(fastest, slices.Min(all[0])/slices.Min(took))
	}
	return seconds, ratios, fastest, nil
}
