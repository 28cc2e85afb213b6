package config

import "fmt"

// Near asks which records of an index are the most similar to some texts.
type Near struct {
	Texts     []string `arg:"" optional:"" name:"text" sep:"none" help:"What is looked for. (default: each line of standard input)"`
	Index     string   `required:"" placeholder:"DIR" help:"The index, which --memory exact has made."`
	MaxMemory Size     `placeholder:"SIZE" help:"What the index may take in memory, as in 8GiB; what exceeds it goes to files without a name in TMPDIR. (default: all of it is in memory)"`
	Count     int      `name:"count" short:"k" default:"10" placeholder:"N" help:"How many records at most. (default: ${default})"`
}

func (n Near) resolve() (Command, error) {
	if n.Count < 1 {
		return nil, fmt.Errorf("--count %d must be at least 1", n.Count)
	}
	return &n, nil
}
