package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A physical type is how values are stored (parquet.thrift, Type).
type physical int32

const (
	boolean physical = iota
	int32s
	int64s
	int96
	float
	double
	byteArray
	fixedLenByteArray
)

var physicalNames = []string{"BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY",
	"FIXED_LEN_BYTE_ARRAY"}

func (p physical) String() string {
	if p < 0 || int(p) >= len(physicalNames) {
		return fmt.Sprintf("type %d", int32(p))
	}
	return physicalNames[p]
}

// A repetition says how often a node occurs in its parent (FieldRepetitionType).
type repetition int32

const (
	required repetition = iota
	optional
	repeated
)

func (r repetition) String() string { return [...]string{"required", "optional", "repeated"}[r] }

// A node is an element of the schema: a leaf, which is a column, or a group.
type node struct {
	name       string
	parent     *node // nil for the root
	repetition repetition
	children   []*node // of a group
	leaf       *column // nil for a group
	annotation annotation

	maxDef, maxRep int // the levels of a defined value
}

// A column is a leaf of the schema.
type column struct {
	*node
	index    int
	physical physical
	width    int // bytes of a value; 0 for BYTE_ARRAY, whose values vary in length
}

// A Schema describes the columns of a file.
type Schema struct {
	root    *node
	columns []*column
	raw     []byte // the list of SchemaElement, as in the file
}

// Limits of a schema. Levels are stored in bytes, and an element uses far more memory than bytes in
// a file.
const (
	maxDepth    = 255
	maxElements = 1 << 17
)

// parseSchema reads the list of SchemaElement, which is the tree in preorder.
func parseSchema(raw []byte) (*Schema, error) {
	r := &thriftReader{buf: raw}
	typ, n := r.list()
	if n == 0 || typ != thriftStruct {
		return nil, errors.New("it has no schema")
	}
	if n > maxElements {
		return nil, fmt.Errorf("its schema has %d elements, and more than %d are not read", n, maxElements)
	}
	s := &Schema{raw: raw}
	left := n
	var err error
	if s.root, err = s.parseNode(r, nil, 0, &left); err != nil {
		return nil, fmt.Errorf("its schema: %w", err)
	}
	switch {
	case left > 0:
		return nil, errors.New("its schema: elements are left over")
	case len(s.columns) == 0:
		return nil, errors.New("it has no columns")
	}
	return s, nil
}

// parseNode reads the next element and everything below it.
func (s *Schema) parseNode(r *thriftReader, parent *node, depth int, left *int) (*node, error) {
	if *left == 0 {
		return nil, errors.New("elements are missing")
	}
	if depth > maxDepth {
		return nil, fmt.Errorf("it is nested more than %d levels deep", maxDepth)
	}
	*left--
	n, e := &node{parent: parent}, element{typ: -1}
	e.read(r, n)
	if r.err != nil {
		return nil, r.err
	}
	if parent == nil {
		n.repetition = required
	} else {
		n.maxDef, n.maxRep = parent.maxDef, parent.maxRep
	}
	switch n.repetition {
	case required:
	case optional:
		n.maxDef++
	case repeated:
		n.maxDef++
		n.maxRep++
	default:
		return nil, fmt.Errorf("%q has repetition %d, which is not known", n.name, n.repetition)
	}
	if e.typ >= 0 && e.children == 0 && parent != nil {
		return n, s.addColumn(n, e)
	}
	if e.children < 0 || int(e.children) > *left {
		return nil, fmt.Errorf("%q has %d children, which are not there", n.name, e.children)
	}
	for range e.children {
		child, err := s.parseNode(r, n, depth+1, left)
		if err != nil {
			return nil, err
		}
		n.children = append(n.children, child)
	}
	return n, nil
}

func (s *Schema) addColumn(n *node, e element) error {
	c := &column{node: n, index: len(s.columns), physical: physical(e.typ)}
	switch c.physical {
	case boolean:
		c.width = 1
	case int32s, float:
		c.width = 4
	case int64s, double:
		c.width = 8
	case int96:
		c.width = 12
	case byteArray:
	case fixedLenByteArray:
		c.width = int(e.length)
		if c.width <= 0 || c.width > maxPage {
			return fmt.Errorf("column %s has values of %d bytes", c.name(), c.width)
		}
	default:
		return fmt.Errorf("column %s is of physical type %d, which is not known", c.name(), e.typ)
	}
	n.leaf = c
	s.columns = append(s.columns, c)
	return nil
}

// path returns the names of the nodes from below the root to n. It is not stored, because in a deep
// schema it takes far more memory than the node.
func (n *node) path() []string {
	var path []string
	for ; n.parent != nil; n = n.parent {
		path = append(path, n.name)
	}
	slices.Reverse(path)
	return path
}

// name returns the name of a column for messages.
func (c *column) name() string { return fmt.Sprintf("%q", strings.Join(c.path(), ".")) }

// An element holds the fields of a SchemaElement that are not kept in the node.
type element struct {
	typ, length, children int32
}

func (e *element) read(r *thriftReader, n *node) {
	a := &n.annotation
	a.converted = -1
	for f := r.fields(); f.next(); {
		switch f.id {
		case 1:
			e.typ = f.i32()
		case 2:
			e.length = f.i32()
		case 3:
			n.repetition = repetition(f.i32())
		case 4:
			n.name = string(f.bytes())
		case 5:
			e.children = f.i32()
		case 6:
			a.converted = f.i32()
		case 7:
			a.scale = f.i32()
		case 8:
			a.precision = f.i32()
		case 10:
			a.logical = f.raw()
		default:
			f.skip()
		}
	}
	a.parse()
}

// difference describes how the schema of another file differs from this one, or returns "".
// Differences that do not change the meaning of values, such as field ids, are allowed.
func (s *Schema) difference(other *Schema) string {
	return s.root.difference(other.root, "")
}

func (n *node) difference(other *node, path string) string {
	for i, child := range n.children {
		name := path + child.name
		if i == len(other.children) || other.children[i].name != child.name {
			if other.child(child.name) == nil {
				return fmt.Sprintf("it has no column %q", name)
			}
			return fmt.Sprintf("column %q is in another place", name)
		}
		mine, theirs := child.describe(), other.children[i].describe()
		if mine != theirs || !bytes.Equal(child.annotation.logical, other.children[i].annotation.logical) {
			if mine == theirs {
				return fmt.Sprintf("column %q has another logical type", name)
			}
			return fmt.Sprintf("column %q is %s instead of %s", name, theirs, mine)
		}
		if d := child.difference(other.children[i], name+"."); d != "" {
			return d
		}
	}
	if len(other.children) > len(n.children) {
		return fmt.Sprintf("it has one more column, %q", path+other.children[len(n.children)].name)
	}
	return ""
}

func (n *node) child(name string) *node {
	for _, child := range n.children {
		if child.name == name {
			return child
		}
	}
	return nil
}

// describe describes the type of a node for messages.
func (n *node) describe() string {
	words := n.repetition.String()
	if n.leaf == nil {
		words += " group"
	} else {
		words += " " + n.leaf.physical.String()
		if n.leaf.physical == fixedLenByteArray {
			words += fmt.Sprintf("(%d)", n.leaf.width)
		}
	}
	if name := n.annotation.String(); name != "" {
		words += " as " + name
	}
	return words
}

// names lists the top-level columns for messages.
func (s *Schema) names() string {
	const most = 20
	var names []string
	for i, child := range s.root.children {
		if i == most {
			names = append(names, fmt.Sprintf("and %d more", len(s.root.children)-most))
			break
		}
		names = append(names, child.name)
	}
	return strings.Join(names, ", ")
}
