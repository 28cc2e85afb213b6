package parquet

// ArrowTypes knows what an Arrow schema in the metadata of a file says of its columns that the
// types of Parquet do not: units, the lengths of lists.
type ArrowTypes interface {
	// Unite returns such a schema for the union of two files; empty if there is none. An error says
	// which column of b would not be what it is.
	Unite(union, a, b *File) (string, error)
	// Units returns the units of columns of numbers, by their paths.
	Units(f *File) map[string]string
}

// ArrowKey is the key of the metadata under which Arrow stores its schema.
const ArrowKey = "ARROW:schema"

// arrowSchema returns the Arrow schema of a union.
func (f *File) arrowSchema(a, b *File) (string, error) {
	if f.arrowTypes == nil || a.valueOf(ArrowKey) == "" && b.valueOf(ArrowKey) == "" {
		return "", nil
	}
	return f.arrowTypes.Unite(f, a, b)
}

// Units implements columnar.Schema.
func (f *File) Units() map[string]string {
	if f.arrowTypes == nil || f.valueOf(ArrowKey) == "" {
		return nil
	}
	return f.arrowTypes.Units(f)
}
