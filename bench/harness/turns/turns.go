// Package turns runs commands in turns and compares their CPU time.
package turns

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"text/tabwriter"
)

// A Contest is commands of the shell over the same input, which run in turns. The first is the
// baseline.
type Contest struct {
	Name     string
	Commands []string
}

// Run prints the median of the CPU time of each command, and of its ratios to the first one. The
// commands run in the directory; replace has the values of their placeholders.
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
