package command

import (
	"runtime"
	"sync"
)

// cores are the processors that the program may use. It is the one place that sets GOMAXPROCS; the
// others are handed a number. A nil *cores leaves everything as it is.
type cores struct {
	all int

	mu      sync.Mutex
	alone   bool // one is enough for now: the writer of our pipe needs the others
	waiting int  // pieces of work for which everything waits, and which need all
	used    int
}

// allCores are those that the process may use when it starts.
func allCores() *cores {
	n := runtime.GOMAXPROCS(0)
	return &cores{all: n, used: n}
}

// count is how many there are.
func (c *cores) count() int {
	if c == nil {
		return runtime.GOMAXPROCS(0)
	}
	return c.all
}

// leave says whether one is enough for now.
func (c *cores) leave(alone bool) {
	if c != nil {
		c.change(func() { c.alone = alone })
	}
}

// wide does work while all may be used.
func (c *cores) wide(work func()) {
	if c != nil {
		c.change(func() { c.waiting++ })
		defer c.change(func() { c.waiting-- })
	}
	work()
}

// change sets GOMAXPROCS if the change asks for another number: that stops all goroutines for some
// microseconds.
func (c *cores) change(change func()) {
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
