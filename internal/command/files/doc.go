// Package files is where the program meets its process and its disks: standard streams and
// terminals, pipes and cores, the inputs that arguments stand for, and outputs, which have their
// names only when they are complete. It knows nothing of records.
package files
