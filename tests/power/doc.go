// Package power loses the power after every operation on files that the program does, and looks at
// what the next program makes of what is left.
package power
