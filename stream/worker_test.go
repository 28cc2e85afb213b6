package stream

import (
	"context"
	"io"
	"runtime"
	"strings"
	"testing"
)

// With one core for all, others have a turn between the batches of a worker that never has to wait
// for one.
func TestAWorkerLetsOthersGo(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	opts := testOptions(t, strings.NewReader(""), io.Discard)
	const batches = 10
	work := make(chan *batch, batches)
	var last *batch
	for range batches {
		last = newBatch()
		last.buf = append(last.buf, family(1, 3)...)
		work <- last
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	left := make(chan int, batches)
	go func() { // its turns
		for n := len(work); n > 0; n = len(work) {
			left <- n
			runtime.Gosched()
		}
		close(left)
	}()
	go newWorker(&opts, nil).run(ctx, work)
	<-last.done
	if turns := len(left); turns < batches-2 {
		t.Errorf("%d turns in %d batches", turns, batches)
	}
}
