// Package pairs finds all pairs of records whose sets are similar: the set similarity join.
//
// No pair is missed and none is estimated. A pair of sets with a Jaccard similarity of at least the
// threshold has a common element among the first few of each, if all sets have their elements in
// the same order, the rarest first. So only these prefixes are in an index, a record is looked up
// by its own prefix, and what is found is compared element by element (Bayardo, Ma, Srikant:
// Scaling Up All Pairs Similarity Search, WWW 2007). What the sizes of two sets, and the places of
// a common element in them, rule out is not compared (Xiao, Wang, Lin, Yu: Efficient Similarity
// Joins for Near Duplicate Detection, WWW 2008: PPJoin).
//
// Two things make it fast on texts. An element that one set alone has can be in no other one: it
// counts for the size of the set, and is not kept. And equal sets are one set with several members.
//
// In place of prefixes the keys of bands may say which pairs are compared. Then pairs are missed,
// with the probability that follows from the bands.
package pairs
