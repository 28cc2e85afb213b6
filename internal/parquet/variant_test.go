package parquet

import (
	"strings"
	"testing"
)

// TestVariantsAreNoJSON: a VARIANT is found at any depth, and named.
func TestVariantsAreNoJSON(t *testing.T) {
	variant := &node{name: "v", annotation: annotation{logicalID: variantID}}
	list := &node{name: "l", children: []*node{{name: "element", children: []*node{{name: "a"}, variant}}}}
	root := &node{children: []*node{{name: "text"}, list}}
	of := func(root *node) error { return (&File{footer: &footer{schema: &Schema{root: root}}}).CheckJSON() }
	if err := of(root); err == nil || !strings.Contains(err.Error(), `column "v" is a VARIANT`) {
		t.Errorf("%v", err)
	}
	list.children = nil
	if err := of(root); err != nil {
		t.Error(err)
	}
}
