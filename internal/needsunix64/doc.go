//go:build unix && (amd64 || arm64 || loong64 || mips64le || ppc64le || riscv64)

// Package needsunix64 exists only on the systems that an index, an exact memory and the stream
// support. Packages that import it do not compile elsewhere, and the error names the reason. They
// need Unix features that Windows lacks: locks that belong to a process, open directories,
// memory-mapped files, and replacing files that are open. They count records and bytes beyond 2³²
// in 64-bit words, and write these words in memory order, which must be little-endian.
//
// The packages below sketch do without it, even in a browser.
package needsunix64
