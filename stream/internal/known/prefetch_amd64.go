//go:build !purego

package known

// prefetch has a bucket brought to the cache, and does not wait for it.
//
//go:noescape
func prefetch(b *bucket)
