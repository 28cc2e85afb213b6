// Package pairs finds all pairs of records with similar sets: the set similarity join.
//
// No pair is missed and none is estimated. If all sets list their elements in the same order, the
// rarest first, two sets whose Jaccard similarity reaches the threshold share an element among the
// first few of each. So only these prefixes are indexed, a record is looked up by its own prefix,
// and candidates are compared element by element (Bayardo, Ma, Srikant: Scaling Up All Pairs
// Similarity Search, WWW 2007). Pairs that the sizes of the sets, or the positions of a common
// element, rule out are not compared (Xiao, Wang, Lin, Yu: Efficient Similarity Joins for Near
// Duplicate Detection, WWW 2008: PPJoin).
//
// Two things make it fast on texts. An element that only one set has is counted but not stored,
// since it cannot be in another. And equal sets are stored once, with several members.
//
// Instead of prefixes, the keys of bands may select the pairs to compare. Then pairs are missed
// with the probability that the bands imply.
package pairs
