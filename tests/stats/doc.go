// Package stats checks that the statistics of a run are as their schema and their page say. It is a
// package of its own so that no other program that tests start has to initialize the validator.
package stats
