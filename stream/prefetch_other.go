//go:build !amd64 || purego

package stream

func prefetch(*bucket) {}
