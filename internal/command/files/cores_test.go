package files

import (
	"runtime"
	"testing"
)

func TestCores(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	c := allCores()
	expect := func(what string, want int) {
		t.Helper()
		if got := runtime.GOMAXPROCS(0); got != want || c.Count() != 3 {
			t.Errorf("%s: %d cores are in use of %d, want %d of 3", what, got, c.Count(), want)
		}
	}
	expect("at the start", 3)
	c.Leave(true)
	expect("beside a slow writer", 1)
	c.Wide(func() { expect("while everything waits", 3) })
	expect("after that", 1)
	c.Wide(func() {
		c.Leave(false)
		expect("while everything waits", 3)
	})
	expect("when the writer waits", 3)
	var none *Cores
	none.Leave(true)
	none.Wide(func() { expect("without a budget", 3) })
	if none.Count() != 3 {
		t.Errorf("%d cores without a budget", none.Count())
	}
}
