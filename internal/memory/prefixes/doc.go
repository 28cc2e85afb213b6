// Package prefixes implements a memory of short sets, such as those of the words of a passage, that
// finds every earlier set at or above a threshold. It finds them by their rarest elements.
//
// The prefix filter (Chaudhuri, Ganti, Kaushik: A Primitive Operator for Similarity Joins in Data
// Cleaning, 2006; Bayardo, Ma, Srikant: Scaling Up All Pairs Similarity Search, 2007) puts the
// elements of all sets in one order. Two sets of n and m elements with a Jaccard similarity of T or
// more share one of their first n - ⌈T·n⌉ + 1 and m - ⌈T·m⌉ + 1 elements. If the order is from rare
// to frequent, few other sets contain these.
//
// The more sets there are, the more of them share any element that is not rare. So an element of
// many sets is a key only together with each element that follows. If T is above one half, two sets
// share two elements of prefixes that are one longer (Wang, Li, Feng: Can We Beat the Prefix
// Filtering?, 2012). If the first shared element is rare, it finds them. If not, its pair with the
// second does.
//
// Any order finds the same sets, because candidates are compared. So an [Index] counts elements
// only twice, early on. An element that becomes frequent later is noticed at once: as soon as its
// list is too long for a single element, the sets in it get the pairs that begin with that element.
//
// Most sets in a list are ruled out by the position of the key in both sets (see tag), and most
// others by the parities of ranges of their hashes (see mark).
//
// Long sets would have very many pairs. They are found by band keys instead, which treat all
// elements alike. Sets that may resemble long ones have keys of both kinds.
package prefixes
