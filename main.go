// Mithril-stream is a Unix filter that removes near-duplicate records from a stream.
package main

import (
	"github.com/mithril-stream/mithril-stream/internal/command"
	_ "github.com/mithril-stream/mithril-stream/internal/limits" // initialized before anything is opened
)

func main() { command.Main() }
