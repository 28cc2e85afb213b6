// Package report shows what a run did as one self-contained HTML page.
//
// A Collector receives each record in input order, and keeps what the page shows in bounded memory:
// counts, a histogram of similarities, group sizes, and some removed records with their originals.
// Run is the contents of the page, a plain value; Run.Write writes the page.
//
// The page makes no requests. Its content security policy allows only its own script and style
// sheet, by their hashes. Text from records is escaped by html/template and is never part of the
// script.
package report
