// Package counts knows how large the groups are that an exact memory makes of a stream: a group is
// a record that is kept and those that were removed for it, or for one of those.
//
// For each record there is the number of the kept record of its group, and, where they are asked
// for, its time and the values of some fields. That is counted when it is asked for, so that it can
// be asked as of any record. It stands in the log of the memory, in notes, and is found there again
// by the next run.
package counts
