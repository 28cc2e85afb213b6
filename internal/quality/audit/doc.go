// Package audit measures the quality of verdicts. For a random sample of records it computes the
// exact maximum similarity with any earlier record, and estimates from that how many removed
// records should have been removed, and how many of those that should have been were, with
// confidence intervals.
package audit
