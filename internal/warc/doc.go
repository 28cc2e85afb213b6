// Package warc reads web archives: WARC files (ISO 28500), and the WET files that Common Crawl
// makes of them.
//
// Records are handed over as they stand in the file, gzip members included, so that they can be
// copied byte for byte. No module that reads WARC gives out members, or bounds what it takes into
// memory by what there is and not by what a header says.
package warc
