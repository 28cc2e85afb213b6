// Package fingerprints remembers fingerprints, and finds every remembered one within a distance of
// another. It misses none.
//
// For Hamming distance this is multi-index hashing (Norouzi, Punjani, Fleet: Fast Search in Hamming
// Space with Multi-Index Hashing, CVPR 2012). Several tables hold the fingerprints, each ordered by
// a different group of 16 bits, its lane. If two fingerprints differ in k bits and there are more
// than k lanes, they agree in at least one lane; so fingerprints with a common lane are compared in
// full. With at most k lanes, one lane differs in only a few bits, and all values of it within that
// distance are looked up. Where this is more work, all fingerprints are compared one after the
// other. So no search takes more than one and a half times as long as that.
//
// TLSH digests are divided into classes with equal headers: the logarithm of the length, and two
// ratios. The headers of most classes differ by more than the distance sought. In the remaining
// classes codes are compared one after the other, the first half of each code first.
package fingerprints
