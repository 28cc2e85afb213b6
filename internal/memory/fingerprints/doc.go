// Package fingerprints remembers fingerprints, and finds all that are within a distance of another
// one. It misses none.
//
// By Hamming distance this is multi-index hashing (Norouzi, Punjani, Fleet: Fast Search in Hamming
// Space with Multi-Index Hashing, CVPR 2012). Fingerprints stand in several tables, each ordered by
// 16 other bits, its lane. If two fingerprints differ in k bits, and there are more than k lanes,
// they agree in one of them: so what shares a lane is compared in full. With k bits and no more
// than k lanes, a lane differs in a few bits, and all values of it within these are looked up.
// Where this is more work, all fingerprints are compared, one after the other: no search takes
// longer than one and a half times that.
//
// Digests of TLSH stand in classes of equal headers: a step of the logarithm of the length, and two
// ratios. A difference of headers alone is most often farther than what is looked for. The codes of
// the classes that remain are compared one after the other, half of the code first.
package fingerprints
