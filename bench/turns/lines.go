package turns

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

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
