package arrow

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/mithril-stream/mithril-stream/internal/columnar"
	"github.com/mithril-stream/mithril-stream/internal/parquet"
)

// Noted knows what the Arrow schemas in the metadata of Parquet files say of columns beyond their
// types there: units, and the lengths of lists.
type Noted struct{}

var _ parquet.ArrowTypes = Noted{}

// Units implements parquet.ArrowTypes.
func (Noted) Units(f *parquet.File) map[string]string { return columnUnits(schemaOf(f).Fields()) }

// Unite implements parquet.ArrowTypes.
func (Noted) Unite(union, a, b *parquet.File) (string, error) {
	known, others := notedFields(a), notedFields(b)
	if err := sameUnits(known, others, ""); err != nil {
		return "", err
	}
	for _, f := range others {
		if indexOf(known, f.Name) < 0 {
			known = append(known, f)
		}
	}
	keys, values := union.Metadata()
	metadata := arrow.NewMetadata(keys, values)
	return encodeFields(adoptFields(fieldsOf(union.Schema().Types()), known), &metadata), nil
}

// notedFields returns the fields of a file that have values.
func notedFields(f *parquet.File) (fields []arrow.Field) {
	types := f.Schema().Types()
	for i, field := range schemaOf(f).Fields() {
		if !types[i].IsNull {
			fields = append(fields, field)
		}
	}
	return fields
}

// sameUnits returns an error if values of columns that both have, as Parquet stores them, mean
// something else in b, or do not fit what a says.
func sameUnits(a, b []arrow.Field, path string) error {
	for _, f := range a {
		if i := indexOf(b, f.Name); i >= 0 {
			if err := sameUnit(f.Type, b[i].Type, path+f.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

func sameUnit(a, b arrow.DataType, path string) error {
	if (a.ID() == arrow.DURATION || b.ID() == arrow.DURATION) && !arrow.TypeEqual(a, b) {
		return columnar.UnitError{Column: path, There: a.String(), Here: b.String()}
	}
	if fixed, is := a.(*arrow.FixedSizeListType); is {
		if other, is := b.(*arrow.FixedSizeListType); !is || other.Len() != fixed.Len() {
			return fmt.Errorf("column %q is %s there, and %s here", path, a, b)
		}
	}
	x, y := nestedFields(a), nestedFields(b)
	if _, isList := a.(arrow.ListLikeType); isList && len(x) == len(y) {
		for i := range x {
			if err := sameUnit(x[i].Type, y[i].Type, path+"[]"); err != nil {
				return err
			}
		}
		return nil
	}
	return sameUnits(x, y, path+".")
}

// columnUnits returns the units of numbers that are bare in JSON, by the paths of their columns.
func columnUnits(fields []arrow.Field) map[string]string {
	units := map[string]string{}
	addUnits(units, fields, "")
	return units
}

func addUnits(units map[string]string, fields []arrow.Field, path string) {
	for _, f := range fields {
		if f.Type.ID() == arrow.DURATION {
			units[path+f.Name] = f.Type.String()
		}
		addUnits(units, nestedFields(f.Type), path+f.Name+".")
	}
}
