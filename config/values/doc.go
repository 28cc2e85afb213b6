// Package values has the types of the values of flags: sizes, counts, ages, rates, and criteria by
// which a record of a group is kept. Each parses what a user has written.
package values
