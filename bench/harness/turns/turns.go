// Package turns runs commands in turns and compares their CPU time.
package turns

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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
func (c Contest) Run(dir string, replace map[string]string, rounds int) error {
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
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "LC_ALL=C")
			used, err := Run(cmd)
			if err != nil {
				return err
			}
			seconds[i] = append(seconds[i], used)
		}
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "%s\tCPU, s\tratio\n", c.Name)
	for i, command := range c.Commands {
		fmt.Fprintf(table, "%s\t%.3f\t%.2f\n", command, Median(seconds[i]), Ratio(seconds[i], seconds[0]))
	}
	return table.Flush()
}

// RunAll runs those of some contests of the program over a file whose names have a part.
func RunAll(contests []Contest, part, binary, records, dir string, rounds int) error {
	records, err := filepath.Abs(records)
	if err != nil {
		return err
	}
	for _, c := range contests {
		if !strings.Contains(c.Name, part) {
			continue
		}
		if err := c.Run(dir, map[string]string{"MS": binary, "RECORDS": "'" + records + "'"}, rounds); err != nil {
			return err
		}
	}
	return nil
}

// Wall runs commands of the shell in turns, and returns the seconds that each took, and how many
// times as fast as the first one each was: medians, and those of the fastest turns.
func Wall(commands []string, rounds int) (seconds, ratios, fastest []float64, err error) {
	all := make([][]float64, len(commands))
	for range rounds {
		for i, command := range commands {
			began := time.Now()
			if _, err := Run(exec.Command("sh", "-c", command)); err != nil {
				return nil, nil, nil, err
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
