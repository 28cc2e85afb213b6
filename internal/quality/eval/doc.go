// Package eval compares ways to find duplicates on records of which it is known which ones are
// duplicates, as the paper on LSHBloom does (Khan et al., VLDB 2025, section 5).
//
// A Corpus is the records in the order of the stream, with the truth. A Setting is a method with
// its parameters; Evaluator.Run judges a corpus by it, with the sketchers and judges that the
// filter has, and counts what was right. Evaluator.Compare runs a Grid of settings, takes the best
// one of each method, and looks at that by the share of duplicates and by the size of the corpus.
// Findings are written as rows of TSV or as a page of plots.
package eval
