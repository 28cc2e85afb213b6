package judge

import (
	"os"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/storetest"
)

func TestMain(m *testing.M) { os.Exit(storetest.RunInMemory(m)) }
