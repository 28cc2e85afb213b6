// Package samples remembers samples of texts. For each new text it finds the earlier one that
// contains most of it, or that is itself mostly contained in it.
//
// Package sketch/fracminhash makes the samples: each is a fraction of the hashes of a text's
// shingles. A table maps every hash to the entries that have it. The number of hashes that a record
// shares with an entry estimates how much of one text is contained in the other.
//
// The more entries have a hash when a record is looked up, the less the hash weighs; from Common
// entries on it weighs nothing. This holds for the shared hashes as for all hashes of both texts.
// So a template that many records share makes none of them a copy of another. It also bounds the
// work, since the list of a hash has fewer than Common+Members entries. Weights depend on the
// entries at that moment, so verdicts depend only on the records and their order.
//
// Two texts are near copies if each contains nearly all of the other, whatever their hashes weigh,
// unless what one has beyond the other weighs much. Among very many variants of a text, most of
// whose hashes are common, near keys find those with a Jaccard similarity of .9 whatever it weighs.
//
// Records with the same sample share an entry. docs/concepts/containment.md says what is found.
package samples
