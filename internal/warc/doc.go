// Package warc reads web archives: WARC files (ISO 28500), and the WET files that Common Crawl
// derives from them.
//
// It returns records as they are in the file, including gzip members, so that they can be copied
// byte for byte. No existing module that reads WARC returns members, or bounds its memory by the
// data present instead of by what a header claims.
package warc
