package windows

import (
	"os"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/indextest"
	"github.com/mithril-stream/mithril-stream/internal/storetest"
)

func TestMain(m *testing.M) {
	stop := indextest.SkipFlushes()
	code := storetest.RunInMemory(m)
	stop()
	os.Exit(code)
}
