// Package words knows commands, flags and values that users of other programs may type, and says
// what they are called here.
package words
