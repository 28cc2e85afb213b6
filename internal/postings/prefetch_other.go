//go:build !amd64 || purego

package postings

func prefetch(*uint64) {}
