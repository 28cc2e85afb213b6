package run

import (
	"errors"
	"fmt"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/compress"
	"github.com/mithril-stream/mithril-stream/stream"
)

// isChanged reports whether an input turned out to be damaged so that what was read of it before
// may be wrong.
func isChanged(err error) bool {
	damage := (*compress.DamageError)(nil)
	return errors.As(err, &damage) && damage.Spoils()
}

// endsOnDamage ends a run that an index is committed for where an input is damaged: records that
// may be in no input must not be remembered, or the true ones that resemble them would be lost.
func endsOnDamage(c *config.Filter) func(error) bool {
	if c.Memory.Index == "" || c.Memory.ReadOnly {
		return nil
	}
	return isChanged
}

// explainDamage says what to do about an input that has ended a run.
func explainDamage(err error, opts stream.Options) error {
	if err == nil || !isChanged(err) || opts.IsFatal == nil {
		return err
	}
	committed := "nothing of this run is in the index"
	if opts.Checkpoints != nil {
		committed = "what was committed at checkpoints before is in the index: mithril-stream index undo takes it " +
			"back"
	}
	return fmt.Errorf("%w; what was read of it since its last checksum may be wrong, and an index must not "+
		"remember that, so the run ends here, and %s: find what is damaged, as with gzip -t, xz -t or zstd -t, "+
		"and leave it out or get it again; or have what can be read of it in a file of its own, as by "+
		"gzip -dc, and give that", err, committed)
}

// mayBeWrong is what is to be said of an input that is left, if what was read of it may be wrong.
func mayBeWrong(at stream.Place) string {
	if !at.Spoiled {
		return ""
	}
	return "; what was read of it since its last checksum may be wrong"
}
