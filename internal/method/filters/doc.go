// Package filters has the memory of records in Bloom filters (--memory bloom): one index that
// remembers, and others that are only searched.
//
// Start at Memory (memory.go). capacity.go plans how many records the filters are made for,
// limit.go divides --max-memory among indexes, and earliervotes.go searches indexes one after the
// other.
package filters
