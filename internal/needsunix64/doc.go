//go:build unix && (amd64 || arm64 || loong64 || mips64le || ppc64le || riscv64)

// Package needsunix64 is there on the systems that an index, an exact memory and the stream can
// work on, so that what imports it does not compile elsewhere, and the error names the reason. They
// need what Unix has and Windows has not: locks that go with a process, directories that are
// opened, files that are mapped, and files that are replaced while they are open. They count
// records and bytes beyond 2³² in words of 64 bits, and write these words as they lie in memory,
// the lowest byte first.
//
// The packages below sketch do without it, also in a browser.
package needsunix64
