package addresses

import (
	"math"
	"strings"
	"testing"
)

func TestRefusal(t *testing.T) {
	for limit, refused := range map[uint64]bool{
		800_000 << 10: true, 1<<30 - 1: true, 1 << 30: false, math.MaxUint64: false,
	} {
		if message := refusal(limit); (message != "") != refused {
			t.Errorf("%d bytes: %q", limit, message)
		}
	}
	if message := refusal(800_000 << 10); !strings.Contains(message, "limited to 781 MiB, and Go needs 1024") {
		t.Error(message)
	}
}
