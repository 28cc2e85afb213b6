package columnar

// A ColumnType is what the values of a column are that is made anew.
type ColumnType uint8

// The types of such columns.
const (
	BoolColumn ColumnType = iota
	Int64Column
	DoubleColumn
	StringColumn // UTF-8
	JSONColumn   // UTF-8 that is JSON
)

// A Column is one of a table that is made anew. Any of its values may be null.
type Column struct {
	Name string
	Type ColumnType
}

// A Builder writes a table of flat columns. Rows are given value by value, in the order of the
// columns. It serves one goroutine.
type Builder interface {
	Null()
	Bool(bool)
	Int64(int64)
	Double(float64)
	Bytes([]byte)
	EndRow() error
	Close() error // writes what is left, and the end
}
