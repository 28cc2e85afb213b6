// Package files is the program's interface to its process and its disks: standard streams and
// terminals, pipes and cores, the inputs that arguments name, and outputs, which get their names
// only when they are complete. It knows nothing about records.
package files
