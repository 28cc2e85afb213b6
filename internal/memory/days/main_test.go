package days

import (
	"os"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/indextest"
)

func TestMain(m *testing.M) {
	stop := indextest.SkipFlushes()
	code := m.Run()
	stop()
	os.Exit(code)
}
