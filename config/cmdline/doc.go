// Package cmdline says what a parsed command line has: which flags were given (Given), whether they
// keep to what their tags declare (declared.go), and which files they name (Files), also in a list.
package cmdline
