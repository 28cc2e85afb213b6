package run

import (
	"errors"
	"fmt"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/compress"
	"github.com/mithril-stream/mithril-stream/stream"
)

// isChanged reports whether the damage of an input means that earlier parts of it may be wrong,
// too.
func isChanged(err error) bool {
	damage := (*compress.DamageError)(nil)
	return errors.As(err, &damage) && damage.Spoils()
}

// endsOnDamage ends a run that keeps an index when an input is damaged: an index must not remember
// records that may not exist, since true ones that resemble them would be lost.
func endsOnDamage(c *config.Filter) func(error) bool {
	if c.Memory.Index == "" || c.Memory.ReadOnly {
		return nil
	}
	return isChanged
}

// explainDamage adds advice to the error of an input that ended a run.
func explainDamage(err error, opts stream.Options) error {
	if err == nil || !isChanged(err) || opts.IsFatal == nil {
		return err
	}
	committed := "nothing of this run is in the index"
	if opts.Checkpoints != nil {
		committed = "what earlier checkpoints committed is in the index (mithril-stream index undo takes it back)"
	}
	return fmt.Errorf("%w; what was read of it since its last checksum may be wrong, and an index must not remember "+
		"that, so the run ends here, and %s: find what is damaged, as with gzip -t, xz -t or zstd -t, and leave it "+
		"out or get it again; or put what can be read of it into a file of its own, as with gzip -dc, and give that "+
		"file", err, committed)
}

// mayBeWrong returns what to say of an abandoned input whose records may be wrong.
func mayBeWrong(at stream.Place) string {
	if !at.Spoiled {
		return ""
	}
	return "; what was read of it since its last checksum may be wrong"
}
