package parquet

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/columnar"
)

// Union returns a File without rows whose schema can hold the rows of f and of other. Columns are
// matched by name, those of f first, and a column that only one has may be null. A type is widened
// only if all values stay the same. The result is f if other adds nothing; an error says what
// cannot be reconciled.
func (f *File) Union(other *File) (*File, error) {
	mine := f.footer
	features, err := columnar.UniteFeatures(f.Features(), other.Features())
	if err != nil {
		return nil, err
	}
	var t thriftWriter
	u := &unioner{out: &t}
	if err := u.node(mine.schema.root, other.footer.schema.root, ""); err != nil {
		return nil, err
	}
	schema, err := parseSchema(append(listHead(u.elements), t.buf...))
	if err != nil {
		return nil, err
	}
	isSame := mine.schema.difference(schema) == ""
	if isSame && f.valueOf(ArrowKey) == other.valueOf(ArrowKey) {
		return f, nil
	}
	union := &File{isUnion: true, arrowTypes: f.arrowTypes, footer: &footer{
		version: mine.version, schema: schema, keyValues: f.keyValuesWith(features, ""), largest: mine.largest,
		codec: f.codecOf(),
	}}
	noted, err := union.arrowSchema(f, other)
	if err != nil {
		return nil, err
	}
	if isSame {
		return f, nil
	}
	union.footer.keyValues = f.keyValuesWith(features, noted)
	return union, nil
}

// Features is what datasets says of the columns; empty if it says nothing.
func (f *File) Features() string { return f.valueOf(columnar.FeaturesKey) }

// valueOf is the value of a key of the metadata; empty if they have none.
func (f *File) valueOf(key string) string {
	keys, values := f.Metadata()
	if i := slices.Index(keys, key); i >= 0 {
		return values[i]
	}
	return ""
}

// keyValuesWith are the metadata with other features, if they have any, and another Arrow schema,
// which may be empty.
func (f *File) keyValuesWith(features, arrowSchema string) []byte {
	var keys, values []string
	allKeys, allValues := f.Metadata()
	for i, key := range allKeys {
		value := allValues[i]
		switch key {
		case columnar.FeaturesKey:
			value = features
		case ArrowKey:
			continue
		}
		keys, values = append(keys, key), append(values, value)
	}
	if arrowSchema != "" {
		keys, values = append(keys, ArrowKey), append(values, arrowSchema)
	}
	if len(keys) == 0 {
		return nil
	}
	return keyValueList(keys, values)
}

// codecOf returns the compression of a file's first column.
func (f *File) codecOf() codec {
	for i := range f.footer.groups {
		if g, err := f.footer.group(i); err == nil && len(g.chunks) > 0 {
			return g.chunks[0].codec.forOutput()
		}
	}
	return f.footer.codec
}

// A unioner writes the elements of a schema.
type unioner struct {
	out      *thriftWriter
	elements int
}

// node writes the union of two nodes. Either may be nil, which makes the other optional.
func (u *unioner) node(a, b *node, path string) error {
	switch {
	case a == nil || b != nil && a.isNull() && !b.isNull():
		a, b = b, nil
	case b != nil && b.isNull() && !a.isNull():
		b = nil
	}
	if b == nil {
		u.element(a, nil, true, len(a.children))
		return u.children(a, nil, path)
	}
	repeats := func(n *node) bool { return n.repetition == repeated }
	isOptional := a.parent != nil && (a.repetition == optional || b.repetition == optional)
	widened := a.widened(b)
	if (a.leaf == nil) != (b.leaf == nil) || repeats(a) != repeats(b) || a.leaf == nil && a.annotation.meaning !=
		b.annotation.meaning || a.leaf != nil && widened == nil {
		return fmt.Errorf("column %q is %s there, and %s here", path, a.describe(), b.describe())
	}
	if a.leaf != nil {
		u.element(a, widened, isOptional, 0)
		return nil
	}
	u.element(a, nil, isOptional, len(pairsOf(a, b)))
	return u.children(a, b, path)
}

// children writes what is below a group. b may be nil.
func (u *unioner) children(a, b *node, path string) error {
	for _, pair := range pairsOf(a, b) {
		name := pathOf(pair, path)
		if b == nil {
			u.element(pair[0], nil, pair[0].repetition == optional, len(pair[0].children))
			if err := u.children(pair[0], nil, name); err != nil {
				return err
			}
			continue
		}
		if a.isShaped() && (pair[0] == nil || pair[1] == nil) {
			return fmt.Errorf("column %q is a list or a map of another form", path)
		}
		if err := u.node(pair[0], pair[1], name); err != nil {
			return err
		}
	}
	return nil
}

// pairsOf pairs the children of two groups: by name, or in lists and maps, where names are
// arbitrary, by position. A child without a counterpart is paired with nil.
func pairsOf(a, b *node) (pairs [][2]*node) {
	for i, child := range a.children {
		var other *node
		switch {
		case b == nil:
		case a.isShaped() && i < len(b.children):
			other = b.children[i]
		case !a.isShaped():
			other = b.child(child.name)
		}
		pairs = append(pairs, [2]*node{child, other})
	}
	if b == nil {
		return pairs
	}
	for i, child := range b.children {
		if a.isShaped() && i >= len(a.children) || !a.isShaped() && a.child(child.name) == nil {
			pairs = append(pairs, [2]*node{nil, child})
		}
	}
	return pairs
}

func pathOf(pair [2]*node, path string) string {
	n := pair[0]
	if n == nil {
		n = pair[1]
	}
	if path == "" {
		return n.name
	}
	return path + "." + n.name
}

// isShaped reports whether a group is the frame of a list or of a map.
func (n *node) isShaped() bool {
	framed := n.annotation.meaning == list || n.annotation.meaning == mapping
	return framed || n.parent != nil && n.repetition == repeated &&
		(n.parent.annotation.meaning == list || n.parent.annotation.meaning == mapping)
}

// isNull reports whether a node is a column of nulls only, whose type the writer did not know.
func (n *node) isNull() bool { return n.leaf != nil && n.annotation.logicalID == 11 }

// element writes a node with that many children, with the type of wide if that is not nil.
func (u *unioner) element(n, wide *node, isOptional bool, children int) {
	u.elements++
	leaf, a := n.leaf, n.annotation
	if wide != nil {
		leaf, a = wide.leaf, wide.annotation
	}
	t := u.out
	t.open()
	if leaf != nil {
		t.i32(1, int32(leaf.physical))
		if leaf.physical == fixedLenByteArray {
			t.i32(2, int32(leaf.width))
		}
	}
	if n.parent != nil {
		r := n.repetition
		if isOptional && r == required {
			r = optional
		}
		t.i32(3, int32(r))
	}
	t.string(4, n.name)
	if leaf == nil {
		t.i32(5, int32(children))
	}
	if a.converted >= 0 {
		t.i32(6, a.converted)
	}
	if a.meaning == decimal {
		t.i32(7, a.scale)
		t.i32(8, a.precision)
	}
	if len(a.logical) > 0 {
		t.raw(10, thriftStruct, a.logical)
	}
	t.close()
}

// widened returns a leaf that can hold all values of both: one of the two, or one of 64 bits. It
// returns nil if neither can.
func (n *node) widened(other *node) *node {
	if n.leaf == nil || other.leaf == nil {
		return nil
	}
	a, b := n.leaf, other.leaf
	if a.means(b) && a.physical == b.physical && a.width == b.width {
		return n
	}
	wide, narrow := a, b
	if a.width < b.width {
		wide, narrow = b, a
	}
	switch {
	case wide.physical == double && narrow.physical == float && wide.meaning() == plain && narrow.meaning() == plain:
		return wide.node
	case wide.isInteger() && narrow.isInteger():
		return widerInteger(wide, narrow)
	case wide.meaning() == decimal && narrow.meaning() == decimal && wide.annotation.scale == narrow.annotation.scale &&
		wide.physical == narrow.physical && wide.width == narrow.width:
		if narrow.annotation.precision > wide.annotation.precision {
			return narrow.node
		}
		return wide.node
	}
	return nil
}

// widerInteger returns the one of two that can hold all values of both; nil if neither can.
func widerInteger(wide, narrow *column) *node {
	bits := func(c *column) int {
		var t Type
		c.describeIn(&t)
		return t.Bits
	}
	isUnsigned := func(c *column) bool { return c.meaning() == unsignedInt }
	if bits(narrow) > bits(wide) {
		wide, narrow = narrow, wide
	}
	switch {
	case isUnsigned(wide) == isUnsigned(narrow):
	case !isUnsigned(wide) && bits(wide) > bits(narrow):
	default:
		return nil
	}
	return wide.node
}

func (c *column) isInteger() bool {
	m := c.annotation.meaning
	return (c.physical == int32s || c.physical == int64s) && (m == plain || m == signedInt || m == unsignedInt) &&
		c.annotation.logicalID != 11
}

// means reports whether the values of two columns have the same meaning, however it is expressed.
func (c *column) means(other *column) bool {
	a, b := &c.annotation, &other.annotation
	if a.meaning == opaque || b.meaning == opaque {
		return a.converted == b.converted && bytes.Equal(a.logical, b.logical)
	}
	if a.isJSON() != b.isJSON() || c.isInteger() && !bitsEqual(c, other) {
		return false
	}
	return a.meaning == b.meaning && a.unit == b.unit && a.local == b.local && a.scale == b.scale &&
		a.precision == b.precision
}

func bitsEqual(a, b *column) bool {
	var x, y Type
	a.describeIn(&x)
	b.describeIn(&y)
	return x.Bits == y.Bits
}

// withoutColumns returns the union without the metadata that describe all columns of its first
// file, and no others. What pandas and datasets say of some of them stays: readers take the others
// as they are.
func (f *File) withoutColumns() *File {
	if !f.isUnion {
		return f
	}
	var keys, values []string
	allKeys, allValues := f.Metadata()
	for i, key := range allKeys {
		if !strings.HasPrefix(key, "org.apache.spark.") {
			keys, values = append(keys, key), append(values, allValues[i])
		}
	}
	footer := *f.footer
	footer.keyValues = nil
	if len(keys) > 0 {
		footer.keyValues = keyValueList(keys, values)
	}
	return &File{footer: &footer, isUnion: true}
}
