package config

import (
	"errors"
	"fmt"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// A ShareFlag says how much of a text is to be in another one.
type ShareFlag struct {
	Containment float64 `not:"keys,set,sketched" run:"same" needs:"--verify containment: it is the share that this asks for" range:"(0,1]" placeholder:"C" help:"With --verify containment: the share of the shingles of the shorter text that must be in the other one. (default: 0.9)"`
}

// defaultContainment is the default of ShareFlag.Containment.
const defaultContainment = .9

// complete fills what the user left alone.
func (s *ShareFlag) complete(verify string) {
	if verify == spec.VerifyContainment {
		fill(&s.Containment, defaultContainment)
	}
}

// leastLimit is the least that --max-memory may be for Bloom filters: half of it is for records
// that are read ahead.
const leastLimit = 64 << 20

// ExactFlags say whether it is remembered which record a duplicate resembles, and who is told.
type ExactFlags struct {
	Memory    string `not:"kinds" group:"index" enum:",bloom,exact,auto" default:"" placeholder:"WHICH" brief:"exact knows which record each one resembles" help:"What is remembered of records: bloom, exact or auto. bloom: Bloom filters, which know that a record was seen, in some 40 bytes a record. exact: hash tables and signatures, which know the record that it resembles and how much, in some 150 bytes; it has no use for --fp-rate, --on-full and --filter, and none for --capacity but to refuse beforehand what there is no memory for. auto: exact up to --max-memory, then Bloom filters of all that was seen. (default: bloom)"`
	Verify    string `not:"simhash,tlsh,embedding,keys,set,kinds,sketched" run:"same" group:"index" enum:",signature,none,text,containment,sample" default:"" placeholder:"HOW" help:"With --memory exact: what makes a candidate a duplicate. signature: its estimated similarity is at least --threshold. none: a common band is enough, as for bloom. text: its exact similarity is; the hashes of all shingles are kept for that in --index, or in a file without a name in TMPDIR, 8 bytes each. containment: of the shorter text --containment of the shingles are in the other one, which is kept likewise. With --sketch fracminhash text compares all shingles likewise, and sample takes the share of a sample for that of the text, which is the default there. (default: signature)"`
	ShareFlag `group:"index"`
	MaxMemory Size   `not:"simhash,tlsh,embedding,equality,key,parts,set,kinds" range:"[1,)" group:"index" aliases:"memory-limit" placeholder:"SIZE" help:"What the memory may take, as in 8GiB. exact, and --sketch fracminhash: what exceeds it goes to files without a name in --index, or in TMPDIR, about 180 bytes a record. bloom: with --index, older generations beyond it are read from disk; a new index is divided so that this is possible. auto: the record after the last one that it has room for, and all that follow, are judged by Bloom filters of --capacity, which have all records before; they do not know originals. The summary names the record. (default: all of it is in memory)"`
	ID        string `not:"set,told,sketched" run:"same" name:"id" group:"records" placeholder:"FIELD" help:"With --memory exact, or a --sketch of fingerprints, vectors or samples: the field, or column, that names a record in --originals and --annotate. (default: the name of the input and the number of the record, as in crawl.jsonl:12)"`
	Originals string `not:"set,told" writes:"records" group:"output" placeholder:"FILE" brief:"what each removed record resembles" help:"With --memory exact, or a --sketch of fingerprints, vectors or samples: write for each removed record its name, the name of the most similar earlier record, and their similarity: as JSON, one a line; or as columns if FILE ends in .tsv."`
}

// complete fills what the user left alone.
func (e *ExactFlags) complete() {
	fill(&e.Memory, spec.MemoryBloom)
	fill(&e.Verify, spec.VerifySignature)
	e.ShareFlag.complete(e.Verify)
}

// IsExact reports whether originals are known, at least at first.
func (e ExactFlags) IsExact() bool {
	return e.Memory == spec.MemoryExact || e.Memory == spec.MemoryAuto
}

// What is refused by a run and by the plan of one.
var (
	errLeastLimit = fmt.Errorf("--max-memory must be at least %d MiB", leastLimit>>20)
	errNoPages    = errors.New("--max-memory reads pages of filters, and --filter classic has none: leave one of " +
		"them out")
)

// checkExact refuses what does not go with what is remembered.
func (f FilterFlags) checkExact() error {
	e, asks := f.ExactFlags, "--memory "+f.ExactFlags.Memory
	var err error
	if e.Memory == spec.MemoryAuto {
		err = inBoth.check(f.given, asks)
	}
	switch {
	case err != nil:
		return err
	case e.Memory == spec.MemoryAuto && e.MaxMemory == 0:
		return errors.New("--memory auto needs --max-memory SIZE: up to there it is exact")
	case e.Memory == spec.MemoryBloom && e.MaxMemory != 0 && f.Index == "" && len(f.Against) == 0:
		return errors.New("--max-memory needs --memory exact or auto, or --index DIR: Bloom filters that have no " +
			"room in memory are read from its files")
	case e.Memory == spec.MemoryBloom && e.MaxMemory != 0 && e.MaxMemory < leastLimit:
		return errLeastLimit
	case e.Memory != spec.MemoryExact && e.MaxMemory != 0 && f.Filter == bloomlsh.FilterClassic:
		return errNoPages
	case e.Memory == spec.MemoryAuto && e.verification().ComparesSets():
		return fmt.Errorf("--verify %s is for --memory exact: Bloom filters have no texts to compare with", e.Verify)
	case !e.IsExact() && (e.Originals != "" || e.ID != "" || f.given["--verify"]):
		return errors.New("--originals, --id and --verify need --memory exact or auto: " +
			"Bloom filters do not know which record was seen")
	}
	return nil
}
