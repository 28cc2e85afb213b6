package files

import (
	"context"
	"errors"
	"io"
	"testing"
)

func TestStoppableReaderEndsWithItsContext(t *testing.T) {
	in, out := io.Pipe()
	defer out.Close()
	ctx, cancel := context.WithCancelCause(context.Background())
	r := StopWith(ctx, in)
	go out.Write([]byte("some text"))
	p := make([]byte, 20)
	n, err := io.ReadFull(r, p[:9])
	if string(p[:n]) != "some text" || err != nil {
		t.Fatalf("%q, %v", p[:n], err)
	}
	stopped := errors.New("stopped")
	go cancel(stopped)
	for range 2 {
		if n, err := r.Read(p); n > 0 || !errors.Is(err, stopped) { // nothing comes, and the pipe stays open
			t.Errorf("%d bytes, %v", n, err)
		}
	}
}

func TestStoppableReaderPassesOnTheEnd(t *testing.T) {
	in, out := io.Pipe()
	broken := errors.New("broken")
	go out.CloseWithError(broken)
	if _, err := io.ReadAll(StopWith(context.Background(), in)); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}
