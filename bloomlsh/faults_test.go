package bloomlsh

import (
	"errors"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/storetest"
)

// reopened returns the state of an index that is opened again.
func reopened(files *storetest.Machine, p Params) (string, error) {
	s, err := openStore(testEnvironment(1<<30), files.Path("idx"), p, nil)
	if err != nil {
		return "", err
	}
	defer s.Abandon()
	return digest(s.index, s.Committed()), nil
}

// TestStoreStopsAfterFailure checks that nothing is written or retried after a failed write.
func TestStoreStopsAfterFailure(t *testing.T) {
	files := storetest.New(t)
	s, err := openStore(testEnvironment(1<<30), files.Path("idx"), smallParams, nil)
	if err != nil {
		t.Fatal(err)
	}
	keys := []Key{{Lo: 1}, {Lo: 2}}
	observeRecord(s, keys)
	files.FailAt = files.Operations + 2 // flushing the log
	if err := s.Commit(Position{}); !errors.Is(err, storetest.ErrInjected) {
		t.Fatalf("commit: %v", err)
	}
	before := files.Operations
	if err := s.Commit(Position{}); !errors.Is(err, storetest.ErrInjected) {
		t.Errorf("second commit: %v", err)
	}
	if _, err := observeRecord(s, keys); !errors.Is(err, storetest.ErrInjected) {
		t.Errorf("observe: %v", err)
	}
	if files.Operations != before {
		t.Errorf("%d operations after the failure", files.Operations-before)
	}
}
