// Package markup extracts the text of web pages and Markdown, so that records are compared by what
// a reader sees and not by tags, menus or link targets. It only affects what is compared; the
// record itself is unchanged.
//
// An [Extractor] is a pure function of its input: it keeps nothing from one text to the next, reads
// no clock and starts no goroutine. Its cost is bounded by the length of the text. Pages and
// documents beyond the limits given for each extractor are read in a simpler way, but never
// rejected.
package markup
