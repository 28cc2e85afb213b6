package parquet

import "testing"

// Types that differ have different names, so that a message about two schemas says what is
// different.
func TestNamesOfTypes(t *testing.T) {
	named := map[string]annotation{}
	for _, a := range []annotation{
		{meaning: timestamp, logicalID: 8, unit: 1e3, converted: -1},
		{meaning: timestamp, logicalID: 8, unit: 1e6, converted: -1},
		{meaning: timestamp, logicalID: 8, unit: 1e9, converted: -1},
		{meaning: timestamp, logicalID: 8, unit: 1e6, local: true, converted: -1},
		{meaning: timeOfDay, logicalID: 7, unit: 1e6, converted: -1},
		{meaning: timeOfDay, logicalID: 7, unit: 1e9, converted: -1},
		{meaning: decimal, logicalID: 5, precision: 9, scale: 2, converted: 5},
		{meaning: decimal, logicalID: 5, precision: 9, scale: 3, converted: 5},
		{meaning: signedInt, logicalID: integerType, converted: 15},
		{meaning: signedInt, logicalID: integerType, converted: 16},
		{meaning: unsignedInt, logicalID: integerType, converted: 12},
		{meaning: timestamp, converted: 9}, {meaning: timestamp, converted: 10},
		{meaning: date, logicalID: 6, converted: 6},
	} {
		if other, isThere := named[a.String()]; isThere {
			t.Errorf("%+v and %+v are both %s", other, a, &a)
		}
		named[a.String()] = a
	}
}
