//go:build !amd64 || purego

package known

func prefetch(*bucket) {}
