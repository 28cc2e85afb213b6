package files

import (
	"runtime"
	"sync"
)

// Cores are the processors that the program may use. It is the one place that sets GOMAXPROCS; the
// others are handed a number. A nil *Cores leaves everything as it is.
type Cores struct {
	all int

	mu      sync.Mutex
	alone   bool // one is enough for now: the writer of our pipe needs the others
	waiting int  // pieces of work for which everything waits, and which need all
	used    int
}

// allCores are those that the process may use when it starts.
func allCores() *Cores {
	n := runtime.GOMAXPROCS(0)
	return &Cores{all: n, used: n}
}

// Count is how many there are.
func (c *Cores) Count() int {
	if c == nil {
		return runtime.GOMAXPROCS(0)
	}
	return c.all
}

// Leave says whether one is enough for now.
func (c *Cores) Leave(alone bool) {
	if c != nil {
		c.change(func() { c.alone = alone })
	}
}

// Wide does work while all may be used.
func (c *Cores) Wide(work func()) {
	if c != nil {
		c.change(func() { c.waiting++ })
		defer c.change(func() { c.waiting-- })
	}
	work()
}

// change sets GOMAXPROCS if the change asks for another number: that stops all goroutines for some
// microseconds.
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
