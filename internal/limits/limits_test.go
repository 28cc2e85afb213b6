package limits

import (
	"math"
	"strings"
	"testing"
)

func TestAddressSpace(t *testing.T) {
	for limit, refused := range map[uint64]bool{
		800_000 << 10: true, 1<<30 - 1: true, 1 << 30: false, math.MaxUint64: false,
	} {
		if message := addressSpaceError(limit); (message != "") != refused {
			t.Errorf("%d bytes: %q", limit, message)
		}
	}
	message := addressSpaceError(800_000 << 10)
	if !strings.Contains(message, "limited to 781 MiB, and Go needs 1024") {
		t.Error(message)
	}
}
