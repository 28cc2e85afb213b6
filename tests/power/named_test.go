package power

import (
	"bytes"
	"context"
	"errors"
	"os"

	"github.com/mithril-stream/mithril-stream/dedup"
	"github.com/mithril-stream/mithril-stream/internal/store"
)

// naming is the command of scenarios that filters a file by a run with a name, and stores what is
// kept when the index has it: such a run is given again if that fails. Its arguments are the
// memory, the name, the file, and where to store.
const naming = "named"

func filterNamed(memory, name, in, out string) error {
	src, err := os.Open(in)
	if err != nil {
		return err
	}
	defer src.Close()
	var kept bytes.Buffer
	o := dedup.Options{Index: "ix", Run: name, Exact: memory == "exact", Capacity: 1000}
	if _, err := dedup.Filter(context.Background(), src, &kept, "text", o); err != nil {
		return err
	}
	dir, err := store.OpenDir(".")
	if err != nil {
		return err
	}
	return errors.Join(dir.Replace(out, kept.Bytes()), dir.Close())
}
