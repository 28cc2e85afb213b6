package config

import "errors"

// Near asks which records of an index are the most similar to some texts.
type Near struct {
	Texts []string `arg:"" optional:"" name:"text" sep:"none" help:"What is looked for. (default: each line of standard input, or each record of it)"`
	Index string   `required:"" placeholder:"DIR" help:"The index, which --memory exact, or a --sketch of fingerprints or vectors, has made."`
	BucketFlags
	Model     string   `placeholder:"DIR" help:"The directory of the model that an index of vectors was made with."`
	Pooling   string   `enum:",cls,mean,max" default:"" placeholder:"HOW" help:"That of the model, if it was given to the run that made the index."`
	IDF       string   `name:"idf" placeholder:"FILE" help:"The table of weights that an index of fingerprints was made with, if it was."`
	MaxMemory Size     `range:"[1,)" placeholder:"SIZE" help:"What the index may take in memory, as in 8GiB; what exceeds it goes to files without a name in TMPDIR. (default: all of it is in memory)"`
	Format    string   `placeholder:"NAME" default:"text" enum:"text,jsonl" help:"What a line of standard input is. text: the text itself. jsonl: a JSON record. (default: ${default})"`
	Fields    []string `name:"field" aliases:"text-column" placeholder:"PATH" sep:"none" help:"With --format jsonl: where the text is in a record: text, meta.title, parts.0.text. Repeat it to look for several texts as one, as in the run that made the index. (default: text)"`
	ID        string   `name:"id" placeholder:"FIELD" help:"With --format jsonl: the field that names a record in its answer. (default: stdin, and the number of the line)"`
	Count     int      `range:"[1,)" name:"count" short:"k" default:"10" placeholder:"N" help:"How many records at most. (default: ${default})"`
}

func (n Near) resolve(given) (Command, error) {
	switch {
	case n.Format == "jsonl" && len(n.Texts) > 0:
		return nil, errors.New("--format jsonl is about standard input: leave the texts out")
	case n.Format != "jsonl" && (len(n.Fields) > 0 || n.ID != ""):
		return nil, errors.New("--field and --id are about JSON records: add --format jsonl")
	}
	if len(n.Fields) == 0 {
		n.Fields = []string{"text"}
	}
	return &n, nil
}
