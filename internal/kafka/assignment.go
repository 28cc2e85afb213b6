package kafka

import (
	"strconv"
	"sync"
)

// An assignment is the set of partitions assigned to a member. It is safe for concurrent use.
type assignment struct {
	mu         sync.Mutex
	metrics    *Metrics
	partitions map[int32]bool
}

// add adds partitions. Their lag is 0 until it is known.
func (a *assignment) add(partitions []int32) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, partition := range partitions {
		a.partitions[partition] = true
		a.metrics.lag.WithLabelValues(strconv.Itoa(int(partition)))
	}
}

// remove removes partitions that other members read now.
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
