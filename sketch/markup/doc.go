// Package markup takes the text out of web pages and Markdown, so that two records are compared by
// what a reader sees and not by tags, menus or link targets. It only decides what is compared; the
// record itself is untouched.
//
// An [Extractor] is a pure function of its input: it keeps nothing from one text to the next, reads
// no clock and starts no goroutine. What it costs is bounded by the length of the text: a page or a
// document beyond the bounds that are named beside each extractor is read in a simpler way, never
// given up.
package markup
