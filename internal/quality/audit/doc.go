// Package audit says how good verdicts are: of a random sample of records it finds the greatest
// similarity with any earlier record, exactly, and from that how much of what was removed should
// have been, and how much of what should have been was removed, with intervals of confidence.
package audit
