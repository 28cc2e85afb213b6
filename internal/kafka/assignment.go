package kafka

import (
	"strconv"
	"sync"
)

// An assignment is the set of partitions that a member has. It may be used by several goroutines.
type assignment struct {
	mu         sync.Mutex
	metrics    *Metrics
	partitions map[int32]bool
}

// add takes note of partitions that the member reads from now on. Their lag is 0 until it is known.
func (a *assignment) add(partitions []int32) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, partition := range partitions {
		a.partitions[partition] = true
		a.metrics.lag.WithLabelValues(strconv.Itoa(int(partition)))
	}
}

// remove takes note of partitions that others read now.
func (a *assignment) remove(partitions []int32) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, partition := range partitions {
		delete(a.partitions, partition)
		a.metrics.lag.DeleteLabelValues(strconv.Itoa(int(partition)))
	}
}

func (a *assignment) count() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.partitions)
}
