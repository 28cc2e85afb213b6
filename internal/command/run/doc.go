// Package run carries records through a task: from a source (package formats), by a method (package
// method), to outputs (package files). It resumes and repeats earlier runs of an index, shows
// progress, and writes statistics and the page. A run is committed at its end, or at checkpoints:
// output first, then the journal, then the index (I3).
package run
