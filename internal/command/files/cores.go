package files

import (
	"runtime"
	"sync"
)

// Cores manages the processors that the program may use. Only it sets GOMAXPROCS; other code is
// given a number. A nil *Cores changes nothing.
type Cores struct {
	all int

	mu      sync.Mutex
	alone   bool // one is enough for now, since the writer of the input pipe needs the others
	waiting int  // number of Wide calls: everything waits for them, and they need all
	used    int
}

// allCores returns the processors that the process may use when it starts.
func allCores() *Cores {
	n := runtime.GOMAXPROCS(0)
	return &Cores{all: n, used: n}
}

// Count returns the number of processors.
func (c *Cores) Count() int {
	if c == nil {
		return runtime.GOMAXPROCS(0)
	}
	return c.all
}

// Leave sets whether a single processor is currently enough.
func (c *Cores) Leave(alone bool) {
	if c != nil {
		c.change(func() { c.alone = alone })
	}
}

// Wide calls work, which may use all processors.
func (c *Cores) Wide(work func()) {
	if c != nil {
		c.change(func() { c.waiting++ })
		defer c.change(func() { c.waiting-- })
	}
	work()
}

// change applies a change. It sets GOMAXPROCS only if its value changes, since that stops all
// goroutines for some microseconds.
func (c *Cores) change(change func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change()
	n := c.all
	if c.alone && c.waiting == 0 {
		n = 1
	}
	if n != c.used {
		c.used = n
		runtime.GOMAXPROCS(n)
	}
}
