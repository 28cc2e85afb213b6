package arrow

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/mithril-stream/mithril-stream/internal/parquet"
)

// A target receives the values of a Parquet node into a column.
type target struct {
	*column
	of       parquet.Type
	children []*target
	scratch  []byte
}

func newTarget(c *column, t parquet.Type) *target {
	to := &target{column: c, of: t}
	below := c
	if t.Kind == parquet.MapKind { // keys and values are in a struct
		below = c.children[0]
	}
	for i, child := range t.Children {
		to.children = append(to.children, newTarget(below.children[i], child))
	}
	return to
}

// mark records whether the next value is null.
func (c *column) mark(isThere bool) {
	if !isThere && c.valid == nil {
		c.valid = appendBits([]byte{}, 0, nil, 0, c.n)
	}
	if c.valid != nil {
		c.valid = appendBit(c.valid, c.n, isThere)
	}
	if !isThere {
		c.nulls++
	}
	c.n++
}

// appendNull appends a null.
func (c *column) appendNull() {
	c.mark(false)
	switch c.kind {
	case bits:
		c.first = appendBit(c.first, c.n-1, false)
	case fixed:
		c.grow(c.width)
		c.first = append(c.first, make([]byte, c.width)...)
	case binaries:
		c.endBytes(nil)
	case lists:
		c.endList()
	case fixedLists:
		c.grow(c.width)
		for range c.width {
			c.children[0].appendNull()
		}
	case structs:
		for _, child := range c.children {
			child.appendNull()
		}
	}
}

// endList ends a list after its elements.
func (c *column) endList() {
	c.grow(c.width)
	if len(c.second) == 0 {
		c.second = appendNumber(nil, 0, c.width)
	}
	c.second = appendNumber(c.second, int64(c.children[0].n), c.width)
}

// Null implements parquet.Target.
func (t *target) Null() { t.appendNull() }

// Begin implements parquet.Target.
func (t *target) Begin() {}

// End implements parquet.Target.
func (t *target) End() {
	switch t.kind {
	case lists:
		t.endList()
	case fixedLists:
		if has := t.column.children[0].n - t.n*t.width; has != t.width {
			panic(narrowError{t.of.Name, fmt.Sprintf("a list of %d", has), fmt.Sprintf("lists of %d", t.width)})
		}
	}
	t.mark(true)
}

// Child implements parquet.Target.
func (t *target) Child(i int) parquet.Target {
	if t.of.Kind == parquet.MapKind && i == 0 { // an entry begins with its key
		t.column.children[0].mark(true)
	}
	return t.children[i]
}

var errDecimal = errors.New("a decimal has more digits than its column says")

// Value implements parquet.Target.
func (t *target) Value(v []byte) {
	switch t.of.Kind {
	case parquet.BoolKind:
		t.mark(true)
		t.first = appendBit(t.first, t.n-1, v[0] != 0)
		return
	case parquet.TextKind, parquet.JSONKind, parquet.BytesKind:
		t.mark(true)
		t.endBytes(v)
		return
	case parquet.DecimalKind:
		v = t.decimal(v)
	case parquet.OldTimeKind:
		v = t.oldTime(v)
	case parquet.IntKind:
		t.checkInteger(v)
	}
	t.mark(true)
	t.grow(t.width)
	t.first = append(t.first, v[:t.width]...) // the significant bytes of an integer
}

// A narrowError is returned for a value that does not fit the column of the output.
type narrowError struct{ column, value, room string }

func (e narrowError) Error() string {
	return fmt.Sprintf("column %q has the value %s, but its type in the output holds %s: use --to jsonl, or leave the "+
		"format as it is", e.column, e.value, e.room)
}

// oldTime converts a time in INT96 to nanoseconds since 1970.
func (t *target) oldTime(v []byte) []byte {
	const (
		julianEpoch = 2440588 // the Julian day of 1970-01-01
		day         = 86400 * int64(time.Second)
	)
	days := int64(int32(binary.LittleEndian.Uint32(v[8:]))) - julianEpoch
	inDay := int64(binary.LittleEndian.Uint64(v))
	days, inDay = days+floorDiv(inDay, day), inDay-floorDiv(inDay, day)*day
	// only a part of the first and of the last day can be represented
	first, last := floorDiv(math.MinInt64, day), math.MaxInt64/day
	if days < first || days == first && inDay < math.MinInt64-(first+1)*day+day ||
		days > last || days == last && inDay > math.MaxInt64-last*day {
		at := time.Unix(days*86400, inDay).UTC().Format("2006-01-02T15:04:05.999999999")
		panic(narrowError{t.of.Name, at, "nanoseconds from the years 1677 to 2262"})
	}
	n := (days+1)*day + (inDay - day)
	t.scratch = binary.LittleEndian.AppendUint64(t.scratch[:0], uint64(n))
	return t.scratch
}

// checkInteger makes sure that the bits to be dropped from an integer are not significant.
func (t *target) checkInteger(v []byte) {
	kept := v[:t.width]
	if t.of.Unsigned && unsigned(kept) != unsigned(v) {
		panic(narrowError{t.of.Name, strconv.FormatUint(unsigned(v), 10), fmt.Sprint(t.of.Bits, " bits")})
	}
	if !t.of.Unsigned && signed(kept) != signed(v) {
		panic(narrowError{t.of.Name, strconv.FormatInt(signed(v), 10), fmt.Sprint(t.of.Bits, " bits")})
	}
}

// decimal converts to a little-endian integer of the width of the column.
func (t *target) decimal(v []byte) []byte {
	t.scratch = append(t.scratch[:0], v...)
	if t.of.BigEndian {
		slices.Reverse(t.scratch)
	}
	sign := byte(0)
	if n := len(t.scratch); n > 0 && t.scratch[n-1]&0x80 != 0 {
		sign = 0xff
	}
	for len(t.scratch) < t.width {
		t.scratch = append(t.scratch, sign)
	}
	for _, b := range t.scratch[t.width:] {
		if b != sign {
			panic(errDecimal)
		}
	}
	if t.scratch[t.width-1]&0x80 != sign&0x80 {
		panic(errDecimal)
	}
	return t.scratch[:t.width]
}
