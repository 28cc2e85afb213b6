package parquet

import "fmt"

// A meaning is what a logical type says about stored values.
type meaning uint8

const (
	plain meaning = iota // nothing beyond the physical type
	text                 // STRING, ENUM, JSON
	list
	mapping
	decimal
	date
	timeOfDay
	timestamp
	signedInt
	unsignedInt
	uuid
	float16
	interval
	opaque // bytes with a meaning elsewhere: BSON, GEOMETRY, and types newer than this package
)

// An annotation is the logical type of a node, or its older form, the converted type.
type annotation struct {
	meaning
	unit             int64 // of times and timestamps: units in a second
	local            bool  // a timestamp not adjusted to UTC
	scale, precision int32 // of a decimal
	converted        int32 // ConvertedType, or -1
	logical          []byte
	logicalID        int16 // number of the member of the union LogicalType, or 0
}

// integerType is the number of INTEGER in the union LogicalType.
const integerType = 10

// LogicalType members and ConvertedType values by number.
var (
	logicalMeanings = map[int16]meaning{
		1: text, 2: mapping, 3: list, 4: text, 5: decimal, 6: date, 7: timeOfDay, 8: timestamp, 10: signedInt,
		11: plain, 12: text, 14: uuid, 15: float16,
	}
	convertedMeanings = []meaning{
		text, mapping, plain, list, text, decimal, date, timeOfDay, timeOfDay, timestamp, timestamp,
		unsignedInt, unsignedInt, unsignedInt, unsignedInt, signedInt, signedInt, signedInt, signedInt, text, opaque,
		interval,
	}
	logicalNames = map[int16]string{
		1: "STRING", 2: "MAP", 3: "LIST", 4: "ENUM", 5: "DECIMAL", 6: "DATE", 7: "TIME", 8: "TIMESTAMP", 10: "INTEGER",
		11: "UNKNOWN", 12: "JSON", 13: "BSON",
		14: "UUID", 15: "FLOAT16", 16: "VARIANT", 17: "GEOMETRY", 18: "GEOGRAPHY",
	}
	convertedNames = []string{
		"UTF8", "MAP", "MAP_KEY_VALUE", "LIST", "ENUM", "DECIMAL", "DATE", "TIME_MILLIS", "TIME_MICROS",
		"TIMESTAMP_MILLIS", "TIMESTAMP_MICROS", "UINT_8", "UINT_16", "UINT_32", "UINT_64", "INT_8", "INT_16", "INT_32",
		"INT_64", "JSON", "BSON", "INTERVAL",
	}
)

// String names the type with all its parameters, so that two types that differ have two names.
func (a *annotation) String() string {
	switch {
	case a.meaning == decimal:
		return fmt.Sprintf("DECIMAL(%d, %d)", a.precision, a.scale)
	case a.logicalID != 0 && (a.meaning == timeOfDay || a.meaning == timestamp):
		zone := "UTC"
		if a.local {
			zone = "local"
		}
		unit := map[int64]string{1e3: "MILLIS", 1e6: "MICROS", 1e9: "NANOS"}[a.unit]
		return fmt.Sprintf("%s(%s, %s)", logicalNames[a.logicalID], unit, zone)
	case a.logicalID == integerType && a.converted >= 0 && int(a.converted) < len(convertedNames):
		return convertedNames[a.converted] // with its bits
	case a.logicalID != 0 && logicalNames[a.logicalID] != "":
		return logicalNames[a.logicalID]
	case a.logicalID != 0:
		return fmt.Sprintf("logical type %d", a.logicalID)
	case a.converted >= 0 && int(a.converted) < len(convertedNames):
		return convertedNames[a.converted]
	}
	return ""
}

// isJSON reports whether values are JSON.
func (a *annotation) isJSON() bool {
	return a.logicalID == 12 || a.logicalID == 0 && a.converted == 19
}

// parse derives the meaning.
func (a *annotation) parse() {
	if c := a.converted; c >= 0 {
		a.meaning = opaque
		if int(c) < len(convertedMeanings) {
			a.meaning = convertedMeanings[c]
		}
		a.unit = map[int32]int64{7: 1e3, 8: 1e6, 9: 1e3, 10: 1e6}[c]
		// MAP_KEY_VALUE means MAP in some old files, and marks the inner group in others
		if c == 2 {
			a.meaning = plain
		}
	}
	if len(a.logical) == 0 {
		return
	}
	f := (&thriftReader{buf: a.logical}).fields()
	if !f.next() {
		return
	}
	var known bool
	a.logicalID = f.id
	if a.meaning, known = logicalMeanings[f.id]; !known {
		a.meaning = opaque
	}
	if f.typ != thriftStruct {
		return
	}
	a.parseParameters(f.structField())
}

// parseParameters reads the fields of the union member.
func (a *annotation) parseParameters(f fields) {
	for f.next() {
		switch {
		case a.meaning == decimal && f.id == 1:
			a.scale = f.i32()
		case a.meaning == decimal && f.id == 2:
			a.precision = f.i32()
		case (a.meaning == timeOfDay || a.meaning == timestamp) && f.id == 1:
			a.local = !f.bool()
		case (a.meaning == timeOfDay || a.meaning == timestamp) && f.id == 2:
			unit := f.structField()
			if unit.next() {
				a.unit = map[int16]int64{1: 1e3, 2: 1e6, 3: 1e9}[unit.id]
				unit.skip()
				unit.next()
			}
		case a.logicalID == integerType && f.id == 2:
			if !f.bool() {
				a.meaning = unsignedInt
			}
		default:
			f.skip()
		}
	}
}
