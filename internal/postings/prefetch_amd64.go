//go:build !purego

package postings

// prefetch has the line of a word and the two after it brought to the cache, and does not wait for
// them: so far most insertions move words.
//
//go:noescape
func prefetch(word *uint64)
