package config

import (
	"fmt"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/memory/overlap"
	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// resolvePartsFirst resolves what is said about parts of records, and about records that are equal,
// for a command whose default memory is one for similar texts.
func (c *comparison) resolvePartsFirst() error {
	usual := c.Memory
	if !c.given["--memory"] {
		c.Memory = spec.MemoryBloom
	}
	if !c.EqualityFlags.IsSet() {
		if err := c.methodOfPreset(); err != nil {
			return err
		}
	}
	err := c.resolveMethod()
	if c.Method == "" {
		c.Memory = usual
	}
	return err
}

// checkTopic refuses a memory that cannot be kept beside offsets. The preset may be the method.
func (p PartFlags) checkTopic(preset, memory string) error {
	method := p.Method
	if slices.Contains(overlap.MethodNames(), preset) {
		method = preset
	}
	if method != "" && memory == spec.MemoryExact {
		return fmt.Errorf("--memory exact does not go with --method %s between topics: its set of parts is not kept, "+
			"and a consumer goes on with what is: leave it out", method)
	}
	return nil
}
