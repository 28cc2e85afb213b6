package tests

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestAssemblyMovesByVEX keeps the old encoding out of functions that use AVX: where the upper half
// of a register has something, an instruction of SSE has the processor save or merge it, which took
// a hundred cycles and more where it was measured, for each of them. MOVQ to X9 is such an
// instruction; VMOVQ is none.
func TestAssemblyMovesByVEX(t *testing.T) {
	files := 0
	for _, path := range proseAndCode(t) {
		if extension := filepath.Ext(path); extension != ".s" && extension != ".h" {
			continue
		}
		files++
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if isMoveOfSSE(line) {
				t.Errorf("%s:%d: %s: write V before it", path, i+1, strings.TrimSpace(line))
			}
		}
	}
	if files == 0 {
		t.Error("there is no file of assembly")
	}
	if !isMoveOfSSE("\tMOVQ         AX, X10           \\") || isMoveOfSSE("\tVMOVQ AX, X10") {
		t.Error("a move is taken for another one")
	}
}

// moveOfSSE is an instruction that moves something to or from a register of vectors, also where a
// macro calls that xmm.
var moveOfSSE = regexp.MustCompile(`^\s*MOV[A-Z]+\s[^/]*\b(X[0-9]+|xmm)\b`)

func isMoveOfSSE(line string) bool { return moveOfSSE.MatchString(line) }
