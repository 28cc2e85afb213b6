// Package eval compares methods of deduplication on records with known duplicates, as the paper on
// LSHBloom does (Khan et al., VLDB 2025, section 5).
//
// A Corpus is the records in stream order, with the truth. A Setting is a method with its
// parameters; Evaluator.Run applies it to a corpus, with the sketchers and judges of the filter,
// and counts what was right. Evaluator.Compare runs a Grid of settings, picks the best one of each
// method, and examines it by the share of duplicates and by corpus size. Findings are written as
// TSV or as a page of plots.
package eval
