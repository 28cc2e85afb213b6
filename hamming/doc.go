// Package hamming remembers fingerprints, and finds all that are within a Hamming distance of
// another one.
//
// It is multi-index hashing (Norouzi, Punjani, Fleet: Fast Search in Hamming Space with Multi-Index
// Hashing, CVPR 2012). Fingerprints stand in several tables, each ordered by 16 other bits, its
// lane. If two fingerprints differ in k bits, and there are more than k lanes, they agree in one of
// them: so what shares a lane is compared in full. With k bits and no more than k lanes, a lane
// differs in a few bits, and all values of it within these are looked up. Nothing within the
// distance is missed.
package hamming
