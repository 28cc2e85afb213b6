package command

import (
	"runtime"
	"testing"
)

func TestCores(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	c := allCores()
	expect := func(what string, want int) {
		t.Helper()
		if got := runtime.GOMAXPROCS(0); got != want || c.count() != 3 {
			t.Errorf("%s: %d cores are in use of %d, want %d of 3", what, got, c.count(), want)
		}
	}
	expect("at the start", 3)
	c.leave(true)
	expect("beside a slow writer", 1)
	c.wide(func() { expect("while everything waits", 3) })
	expect("after that", 1)
	c.wide(func() {
		c.leave(false)
		expect("while everything waits", 3)
	})
	expect("when the writer waits", 3)
	var none *cores
	none.leave(true)
	none.wide(func() { expect("without a budget", 3) })
	if none.count() != 3 {
		t.Errorf("%d cores without a budget", none.count())
	}
}
