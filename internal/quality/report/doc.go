// Package report shows what a run did as one page of HTML that needs nothing beside it.
//
// A Collector is told of each record in the order of the input, and keeps what the page shows in
// bounded memory: counts, a histogram of similarities, sizes of groups, and a few removed records
// with what they resemble. Run is what the page says, a plain value; Write writes the page.
//
// The page makes no request. Its content security policy allows the one script and the one style
// sheet that stand in it, by their hashes, and nothing else. What comes from records is escaped by
// html/template; it is never part of the script.
package report
