//go:build nocloud

package object

import (
	"errors"
	"testing"
)

// TestBucketsAreRefusedByName where the program was built without their libraries.
func TestBucketsAreRefusedByName(t *testing.T) {
	for _, k := range kinds {
		if _, err := k.open(nil, Options{}, nil); !errors.Is(err, errNoCloud) {
			t.Errorf("%s: %v", k.scheme, err)
		}
	}
}
