package exact

import (
	"errors"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/memory/signatures"
)

func TestMemoryWithoutRoomIsRefused(t *testing.T) {
	plain := signatures.Params{NumPerm: 128, Bands: 14, Rows: 9, Votes: 1, Threshold: .85}
	onDisk, limited := plain, plain
	onDisk.MaxMemory = 8e9
	limited.Capacity = 10e6
	const available = 10e9
	for _, test := range []struct {
		name       string
		params     signatures.Params
		usable     uint64
		signatures uint64
		want       string // a part of the error, or nothing
	}{
		{"nothing is known", plain, 8e9, 0, ""},
		{"they fit", plain, 8e9, 20e6, ""},
		{"they do not fit", plain, 8e9, 100e6, "14.5 GiB are needed for 100,000,000 records (--capacity), and " +
			"at most 80 % of the available 9.3 GiB are used: use a machine with more memory, or give " +
			"--max-memory 6697MiB or more"},
		{"the rest is on disk", onDisk, 8e9, 100e6, ""},
		{"the filters of the rest do not fit", onDisk, 8e9, 200e6,
			"--max-memory must be at least 14GiB for 200,000,000"},
		{"more is allowed than there is", onDisk, 7e9, 100e6, "7.5 GiB are needed"},
		{"Bloom filters judge the rest", limited, 8e9, 1e9, ""},
		{"the limit does not fit", limited, 1e9, 1e9, "1.5 GiB are needed for 10,000,000 records"},
	} {
		err := checkRoomIn(test.usable, available, test.params, test.signatures, ofCapacity)
		if (err != nil) != (test.want != "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
		if err != nil && !errors.Is(err, memory.ErrMemory) {
			t.Errorf("%s: %v is not ErrMemory", test.name, err)
		}
	}
}
