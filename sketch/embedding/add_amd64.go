//go:build !purego

package embedding

import "golang.org/x/sys/cpu"

var hasAVX2 = cpu.X86.HasAVX2

// addVectorAVX2 is addVector for n values, a multiple of 8 and not 0.
//
//go:noescape
func addVectorAVX2(sum, vector *float32, n int)
