package config

import (
	"fmt"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/memory/overlap"
	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// resolvePartsFirst resolves the flags about parts of records and about equal records, for a
// command whose default memory is for similar texts.
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

// checkTopic rejects a memory that cannot be stored with offsets. The preset may name the method.
func (p PartFlags) checkTopic(preset, memory string) error {
	method := p.Method
	if slices.Contains(overlap.MethodNames(), preset) {
		method = preset
	}
	if method != "" && memory == spec.MemoryExact {
		return fmt.Errorf("--memory exact does not go with --method %s between topics: its set of parts is not "+
			"stored, and a consumer continues only with what is stored: leave it out", method)
	}
	return nil
}
