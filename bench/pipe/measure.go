package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A command is a line for the shell. What goes before it is not measured.
type command struct {
	name, shell, before string
	isFloor             bool // it is the least that the others can take
}

// A sample is what one run of a command took. CPU time is user and system time of all its
// processes; 0 is not measured.
type sample struct{ wall, cpu time.Duration }

func wallOf(s sample) time.Duration { return s.wall }
func cpuOf(s sample) time.Duration  { return s.cpu }

// measure runs the commands in turns. Each writes a new file: to empty the one of the run before
// would be part of its time.
func measure(commands []command, env []string, rounds int) ([][]sample, error) {
	return takeTurns(len(commands), rounds, func(i int) (sample, error) {
		c := commands[i]
		c.before = `rm -f "$OUTPUT" "$OUTPUT.gz"; ` + c.before
		return run(c, env)
	})
}

// takeTurns measures n things in turns, so that whatever else the machine does falls on all of them
// alike. Each round begins with another one. One round before the first is thrown away: it fills
// the page cache.
func takeTurns(n, rounds int, measure func(i int) (sample, error)) ([][]sample, error) {
	samples := make([][]sample, n)
	for round := -1; round < rounds; round++ {
		for i := range n {
			at := (i + max(round, 0)) % n
			s, err := measure(at)
			if err != nil {
				return nil, err
			}
			if round >= 0 {
				samples[at] = append(samples[at], s)
			}
		}
	}
	return samples, nil
}

func run(c command, env []string) (sample, error) {
	if c.before != "" {
		if _, err := run(command{shell: c.before}, env); err != nil {
			return sample{}, err
		}
	}
	var messages bytes.Buffer
	cmd := inShell(c.shell, env, &messages)
	started := time.Now()
	if err := cmd.Run(); err != nil {
		return sample{}, fmt.Errorf("%s: %w: %s", c.shell, err, messages.String())
	}
	wall := time.Since(started)
	return sample{wall, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}, nil
}

func inShell(shell string, env []string, messages *bytes.Buffer) *exec.Cmd {
	cmd := exec.Command("sh", "-c", shell)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = messages
	return cmd
}

func (s sample) seconds() (wall, cpu float64) { return s.wall.Seconds(), s.cpu.Seconds() }

// median of wall and CPU time, each by itself.
func median(samples []sample) sample {
	return sample{middle(samples, wallOf), middle(samples, cpuOf)}
}

// middle is the median of what samples have.
func middle[S any, V time.Duration | float64](samples []S, of func(S) V) V {
	values := make([]V, len(samples))
	for i, s := range samples {
		values[i] = of(s)
	}
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}

// fastest is the least that any of the samples took: what the machine can do when nothing else
// wants it.
func fastest(samples []sample, of func(sample) time.Duration) time.Duration {
	return of(slices.MinFunc(samples, func(a, b sample) int { return cmp.Compare(of(a), of(b)) }))
}

// A ratio compares two commands round by round, since neighbours in time see the same load, and the
// fastest run of each, which saw the least.
type ratio struct{ median, least, most, fastest float64 }

func compare(samples, baseline []sample, of func(sample) time.Duration) ratio {
	values := make([]float64, len(samples))
	for i := range samples {
		values[i] = float64(of(samples[i])) / float64(of(baseline[i]))
	}
	slices.Sort(values)
	n := len(values)
	return ratio{(values[(n-1)/2] + values[n/2]) / 2, values[0], values[n-1],
		float64(fastest(samples, of)) / float64(fastest(baseline, of))}
}

func (r ratio) String() string {
	return fmt.Sprintf("%.2f (%.2f – %.2f), fastest %.2f", r.median, r.least, r.most, r.fastest)
}

// keepSamples writes each run of each command.
func (c common) keepSamples(name string, commands []command, samples [][]sample) error {
	if c.Keep == "" {
		return nil
	}
	var b strings.Builder
	for i, command := range commands {
		fmt.Fprintf(&b, "# %d: %s: %s\n", i, command.name,
			strings.ReplaceAll(command.shell, c.program(), "mithril-stream"))
	}
	b.WriteString("round\tcommand\twall_seconds\tcpu_seconds\n")
	for round := range samples[0] {
		for i := range commands {
			wall, cpu := samples[i][round].seconds()
			fmt.Fprintf(&b, "%d\t%d\t%.4f\t", round, i, wall)
			if cpu > 0 {
				fmt.Fprintf(&b, "%.4f", cpu)
			}
			b.WriteByte('\n')
		}
	}
	return c.keep(name+".tsv", b.String())
}

// keep writes a file of raw measurements.
func (c common) keep(name, content string) error {
	if c.Keep == "" {
		return nil
	}
	if err := os.MkdirAll(c.Keep, 0o777); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(c.Keep, name), []byte(content), 0o666)
}
