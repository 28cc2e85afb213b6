// Package offheap has memory outside the Go heap, for what is large and grows: there it is gone at
// once when it is given back, not when the heap has doubled.
package offheap
