package turns

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Run runs a command, and returns its processor time.
func Run(cmd *exec.Cmd) (seconds float64, err error) {
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return 0, fmt.Errorf("%s: %w", strings.Join(cmd.Args, " "), err)
	}
	return CPU(cmd), nil
}

// CPU is the processor time that a command has taken, in seconds, with all processes that it waited
// for.
func CPU(cmd *exec.Cmd) float64 {
	return (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
}

// Peak is the greatest resident memory that a command had, in bytes (Linux).
func Peak(cmd *exec.Cmd) int64 {
	return cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
}

// Own is the processor time that this process has taken so far, on all cores.
func Own() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err) // it says so of a wrong argument alone
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// Median is the middle one of values, and of an even number the upper one.
func Median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

// Ratio is the median of what each turn took over that of another command.
func Ratio(of, over []float64) float64 {
	ratios := make([]float64, len(of))
	for i := range of {
		ratios[i] = of[i] / over[i]
	}
	return Median(ratios)
}

// LineToLine writes lines to a program, each after the one before has come out and a pause. It says
// how long each was under way: the first, from the start of the program on, and the others.
func LineToLine(argv []string, lines int, pause time.Duration, line func(i int) string) (
	start time.Duration, each []time.Duration, err error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return 0, nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, nil, err
	}
	began, back := time.Now(), bufio.NewReader(out)
	if err := cmd.Start(); err != nil {
		return 0, nil, err
	}
	for i := range lines + 1 {
		want := line(i)
		if i > 0 {
			time.Sleep(pause)
			began = time.Now()
		}
		if _, err := io.WriteString(in, want); err != nil {
			return 0, nil, err
		}
		if got, err := back.ReadString('\n'); err != nil || got != want {
			return 0, nil, fmt.Errorf("%s gave back %.40q, %w", argv[0], got, err)
		}
		each = append(each, time.Since(began))
	}
	return each[0], each[1:], errors.Join(in.Close(), cmd.Wait())
}
