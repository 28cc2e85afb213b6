// Package counts tracks the sizes of the groups that an exact memory finds in a stream. A group is
// a kept record with the records that were removed for it, directly or through another removed
// record.
//
// For each record it stores the number of the kept record of its group and, on request, its time
// and the values of some fields. Totals are computed when they are asked for, so they can be asked
// for as of any record. The log of the memory stores all of it in notes, from which the next run
// continues.
package counts
