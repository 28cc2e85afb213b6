package config

import (
	"errors"
	"fmt"
)

// MemoryExact is the value of ExactFlags.Memory that asks for the memory that knows the originals.
const MemoryExact = "exact"

// VerifyNone is the value of ExactFlags.Verify that trusts the bands.
const VerifyNone = "none"

// ExactFlags say whether it is remembered which record a duplicate resembles, and who is told.
type ExactFlags struct {
	Memory    string `group:"index" enum:"bloom,exact" default:"bloom" placeholder:"WHICH" help:"bloom: Bloom filters, which know that a record was seen, in some 40 bytes a record. exact: hash tables and signatures, which know the record that it resembles and how much, in some 330 bytes; it has no use for --capacity, --fp-rate, --on-full and --filter. (default: ${default})"`
	Verify    string `group:"index" enum:"signature,none" default:"signature" placeholder:"HOW" help:"With --memory exact: what makes a candidate a duplicate. signature: its estimated similarity is at least --threshold. none: a common band is enough, as for bloom. (default: ${default})"`
	MaxMemory Size   `group:"index" placeholder:"SIZE" help:"With --memory exact: what it may take, as in 8GiB; what exceeds it goes to files without a name in --index, or in TMPDIR, about 260 bytes a record. (default: all of it is in memory)"`
	ID        string `name:"id" group:"records" placeholder:"FIELD" help:"With --memory exact: the field, or column, that names a record in --originals and --annotate. (default: the name of the input and the number of the record, as in crawl.jsonl:12)"`
	Originals string `group:"output" placeholder:"FILE" help:"With --memory exact: write for each removed record its name, the name of the most similar earlier record, and their similarity: as JSON, one a line; or as columns if FILE ends in .tsv."`
}

// checkExact refuses what does not go together.
func (f FilterFlags) checkExact() error {
	e := f.ExactFlags
	switch {
	case e.Memory != MemoryExact && (e.Originals != "" || e.ID != "" || e.Verify != "signature"):
		return errors.New("--originals, --id and --verify need --memory exact: " +
			"Bloom filters do not know which record was seen")
	case e.Memory != MemoryExact && e.MaxMemory != 0:
		return errors.New("--max-memory is for --memory exact: what Bloom filters take follows from --capacity")
	case e.Memory != MemoryExact:
		return nil
	case e.Originals == "-":
		return errors.New("--originals - would mix with the records: name a file")
	}
	for _, o := range []struct{ flag, path string }{
		{"--output", f.Output}, {"--duplicates", f.Duplicates}, {"--rejects", f.Rejects},
		{"--flags", f.Flags}, {"--stats", f.Stats},
	} {
		if e.Originals != "" && o.path == e.Originals {
			return fmt.Errorf("%s and --originals both write %s: give each its own file", o.flag, o.path)
		}
	}
	return nil
}
