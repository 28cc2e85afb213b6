package chaos

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

const (
	textsAtOnce    = 12 // of a request; a request of more than 8 is read while it is judged
	requestsAtOnce = 5  // between two commits
)

// session is a number of requests to judge and remember, with commits between them.
func session(rng *rand.Rand, commits int) []byte {
	var b bytes.Buffer
	numbers := func(list ...uint32) { binary.Write(&b, binary.LittleEndian, list) }
	for range commits {
		for range requestsAtOnce {
			numbers(1, textsAtOnce, 0)
			var texts []byte
			for range textsAtOnce {
				text := textOf(0, rng.IntN(100_000))
				numbers(uint32(len(text)))
				texts = append(texts, text...)
			}
			b.Write(texts)
		}
		numbers(3, 0, 0)
	}
	return b.Bytes()
}

// TestJudgeOfAKilledClient kills the program that judge works for, at random moments. Judge ends
// then, gives the index back, and what counts in it ends with a commit.
func TestJudgeOfAKilledClient(t *testing.T) {
	t.Run("texts", func(t *testing.T) { judgeOfAKilledClient(t, 1) })
	t.Run("parts", func(t *testing.T) { judgeOfAKilledClient(t, wordsOfText-4, "--method", "dolma-ngram") })
}

// judgeOfAKilledClient does so with a memory that counts so many of each text.
func judgeOfAKilledClient(t *testing.T, each int, memory ...string) {
	rng := rand.New(rand.NewPCG(*seed, 1<<32))
	dir := t.TempDir()
	index, kills, texts := filepath.Join(dir, "idx"), max(10, *stops/10), 0
	for n := range kills {
		sent := filepath.Join(dir, "sent")
		if err := os.WriteFile(sent, session(rng, 20), 0o666); err != nil {
			t.Fatal(err)
		}
		// a part at a time, so that it can be killed between them
		client := exec.Command("bash", "-c", `
			size=$(stat -c %s "$0")
			for ((at = 0; at < size; at += $1)); do tail -c +$((at + 1)) "$0" | head -c "$1"; done`, sent,
			fmt.Sprint(1000+rng.IntN(20_000)))
		judgeWhileKilled(t, client, index, time.Duration(rng.IntN(150))*time.Millisecond, memory...)
		before := texts
		if texts = committed(t, index, n, each); texts < before {
			t.Fatalf("client %d killed: of %d texts %d are left", n, before, texts)
		}
	}
	if texts == 0 {
		t.Error("nothing was ever committed")
	}
	t.Logf("seed %d: the client was killed %d times; %d texts count", *seed, kills, texts)
}

// judgeWhileKilled runs judge for a client that is killed after a time.
func judgeWhileKilled(t *testing.T, client *exec.Cmd, index string, after time.Duration, memory ...string) {
	t.Helper()
	judge := exec.Command(program, append([]string{"judge", "--capacity", "500", "--index", index}, memory...)...)
	var stderr bytes.Buffer
	judge.Stderr = &stderr
	in, toJudge, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fromJudge, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	judge.Stdin, judge.Stdout, client.Stdout, client.Stdin = in, out, toJudge, fromJudge
	for _, cmd := range []*exec.Cmd{judge, client} {
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
	}
	for _, end := range []*os.File{in, toJudge, fromJudge, out} {
		end.Close()
	}
	ended := make(chan struct{})
	go func() {
		judge.Wait()
		close(ended)
	}()
	time.AfterFunc(after, func() { client.Process.Kill() })
	client.Wait()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		judge.Process.Kill()
		t.Fatal("judge waits for a client that is dead")
	}
	switch code := judge.ProcessState.ExitCode(); {
	case code != 0 && code != 1 && code != 141, bytes.Contains(stderr.Bytes(), []byte("goroutine")):
		t.Fatalf("judge ends with %d: %s", code, &stderr)
	}
}

// committed is how many texts count in the index, so many times each, which is whole, and ends with
// a commit.
func committed(t *testing.T, index string, round, each int) (texts int) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(index, "MANIFEST")); err != nil {
		return 0 // the client was killed before anything
	}
	if out, err := exec.Command(program, "index", "verify", index).CombinedOutput(); err != nil {
		t.Fatalf("client %d killed: %v: %s", round, err, out)
	}
	out, err := exec.Command(program, "index", "inspect", "--json", index).Output()
	if err != nil {
		t.Fatal(err)
	}
	var inspected struct{ Observed int }
	if err := json.Unmarshal(out, &inspected); err != nil {
		t.Fatal(err)
	}
	texts = inspected.Observed / each
	if inspected.Observed%each != 0 || texts%(textsAtOnce*requestsAtOnce) != 0 {
		t.Fatalf("client %d killed: %d texts count, of which some were never committed", round, texts)
	}
	return texts
}
