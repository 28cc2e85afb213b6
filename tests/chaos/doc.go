// Package chaos is a test that disturbs the program: it is killed, stopped, or runs into limits of
// the system, at random moments and at each change of a directory, in every command and format, and
// with inputs, outputs and an index in buckets of each kind. Whatever happens, the very same
// commands, given again until they succeed, must leave the outputs and the index of a run that
// nobody disturbed (I7).
//
//	go test ./tests/chaos -stops 10000 -seed 7 -timeout 0  # as long as it takes
//	go test ./tests/chaos -seed 7 -round 123  # one round, which a failure names
package chaos
