// Mithril-stream is a Unix filter that removes near-duplicate records from a stream.
package main

import (
	_ "github.com/mithril-stream/mithril-stream/internal/addresses"
	"github.com/mithril-stream/mithril-stream/internal/command"
	_ "github.com/mithril-stream/mithril-stream/internal/descriptors" // before anything is opened
)

func main() { command.Main() }
