// Package overlap finds records, and parts of records, that were seen before word for word: whole
// texts, lines, paragraphs and n-grams of words.
//
// A part is a key of 128 bits. A sketcher makes the keys of a text; one memory of all parts, an
// index of one band, says which of them were seen; and a judge says what that means for the record.
// docs/overlap.md defines the methods.
package overlap
