package config

import (
	"github.com/alecthomas/kong"

	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// page begins the addresses of the documents.
const page = "https://github.com/mithril-stream/mithril-stream/blob/main/docs/"

// groups order the flags in the help, and name the page that has more about them.
var groups = []kong.Group{
	{Key: "items", Title: "What is looked for"},
	{Key: "truth", Title: "What is true"},
	{Key: "grid", Title: "What is tried, each with each"},
	{Key: "topics", Title: "Topics"},
	{Key: "security", Title: "Connections"},
	{Key: "records", Title: "Records", Description: page + "reference/formats.md"},
	{Key: "text", Title: "What is compared", Description: page + "reference/text.md"},
	{Key: "similar", Title: "What counts as a duplicate", Description: page + "concepts/votes.md"},
	{Key: "index", Title: "The memory of what was seen", Description: page + "reference/index.md"},
	{Key: "output", Title: "Output", Description: page + "reference/files.md"},
	{Key: "service", Title: "Service", Description: page + "recipes/kafka.md"},
	{Key: "run", Title: "The run"},
}

// FilterFlags are the flags of the filter. A flag that a preset may set has no default here: its
// zero value means that the user left it alone.
type FilterFlags struct {
	Inputs []string `arg:"" optional:"" name:"file" sep:"none" help:"What is read, one after the other: files, - for standard input, directories, quoted patterns. Files may be compressed (gzip, zstd, bzip2, xz). (default: standard input)"`

	RecordFlags      `group:"records"`
	TextFlags        `group:"text"`
	SimilarFlags     `group:"similar"`
	FingerprintFlags `group:"similar"`
	EmbeddingFlags   `group:"similar"`
	VectorFlags      `group:"similar"`
	TokenFlags       `group:"text"`
	ContainedFlags   `group:"similar"`
	MethodFlags      `group:"similar"`
	WithinFlags      `group:"similar"`
	IndexFlags       `group:"index"`
	ForgetFlags
	KindFlags
	ExactFlags
	CountFlags  `group:"output"`
	OutputFlags `group:"output"`
	ShardFlags  `group:"output"`
	ReportFlags `group:"output"`
	Audit       int `not:"told" needs:"--report FILE: there it is shown; mithril-stream audit prints it" range:"[1,1000000]" group:"output" placeholder:"N" help:"With --report: compare so many of the removed records, and of those kept, exactly with all earlier ones, and show how good the verdicts are, with intervals. The files are read two more times. (The command audit does it without a run.)"`

	given given // which of them were

	Stream bool `hidden:"" help:"Taken since other programs have it: records are read as a stream in any case."`
}

// RecordFlags say what a record is, and what becomes of one that cannot be compared.
type RecordFlags struct {
	FormatFlags
	To     string `not:"told,edits" placeholder:"NAME" help:"Write kept and removed records in another format, whatever they were. jsonl: JSON objects, one a line. json: the same as one array. csv, parquet, arrow: rows, whose columns are the members of all of them; they are written in the end, or with --schema as records come. A record that cannot be read has no such form: it goes to --rejects, and without that the run goes to its end and exits with 3. (default: what the name of --output says, or as they came)"`
	Schema string `not:"told" placeholder:"COLUMNS" help:"With --to csv, parquet or arrow: the columns, as NAME:TYPE,NAME:TYPE, of the types bool, int64, double, string and json. Rows are then written as records come. What does not fit ends the run, with the record. (default: the members that there are, of the narrowest types that hold them)"`
	RejectFlags
}

// FormatFlags say what a record is.
type FormatFlags struct {
	ListFlags
	Format          string   `not:"sketched" way:"1" placeholder:"NAME" brief:"jsonl, csv, text, parquet, … (default: by name)" help:"What a record is. jsonl: a line that is a JSON object. json: an element of one array. csv, tsv: a row below a header. text: a line. file: a FILE, of which the name is written. warc, wet: a document of a web archive. parquet: a row of a Parquet file. arrow: a row of an Arrow stream or file. (default: what the name or the beginning of the first FILE says, or jsonl)"`
	Field           []string `not:"vectors,tokens,key,sketched" run:"same" way:"2" aliases:"text-column" placeholder:"PATH" sep:"none" brief:"where the text is, or auto (default: text)" help:"Where the text is in a JSON record or a row: text, meta.title, messages (all strings below it), messages[role!=system].content, input? (it may be absent); the name of a column, or its number from 1. Repeat it to compare several texts as one. docs/reference/fields.md has all paths. auto: find it in the first records, and say which one it is; a field of that name is /auto. (default: text)"`
	NoHeader        bool     `not:"sketched" run:"same" way:"3" help:"csv, tsv: the first row is a record too."`
	Delimiter       string   `not:"sketched" placeholder:"CHAR" help:"csv: what stands between fields: one ASCII character, or \\t. (default: a comma, or what the header has in its place: semicolons, bars or tabs)"`
	Quoted          bool     `not:"sketched" help:"tsv: fields may stand in quotes, as in csv. Without it a quote is a character like others, and each line is a row."`
	Escape          string   `run:"same" placeholder:"CHAR" help:"csv, and tsv with --quoted: what stands before a quote within quotes, such as \\ in what Spark writes. Quotes written twice are read as well. (default: none)"`
	Records         string   `run:"same" placeholder:"PATH" help:"json: the members that lead to the array of records, as data or response.items. (default: the input is the array)"`
	RecordSeparator string   `not:"sketched" run:"same" way:"4" placeholder:"STRING" help:"text: what ends a record, as in \\n\\n. (default: \\n)"`
	Multiline       string   `not:"sketched" run:"same" way:"13" placeholder:"BEGINNING" help:"text: a record is an event of a log, which may have several lines, as of a stack trace. It begins with a line of this kind, and ends before the next one. time: a line that begins with a time. indent: one that does not begin with white space. Or a regular expression that the line matches, as in ^\\[ or ^(INFO|ERROR). docs/recipes/logs.md has more."`
	Null            bool     `not:"sketched" short:"0" help:"text: a NUL ends a record. file: a NUL ends a name, as for xargs -0."`
	Union           string   `enum:"by-name,strict" default:"by-name" placeholder:"HOW" help:"Parquet, Arrow, CSV: inputs whose columns differ. by-name: rows are written with the columns that any of them has, matched by their names, of the wider type, null or empty where an input has none. strict: that is an error. With --output-dir the file of each input has the columns of that. (default: ${default})"`
	Encoding        string   `run:"same" way:"11" placeholder:"NAME" help:"What the bytes of an input are, if they are not UTF-8: latin-1, cp1252, utf-16, shift-jis, gb18030, koi8-r and the others of IANA. What is written is UTF-8. Web archives, Parquet and Arrow say it themselves. (default: utf-8)"`
	InvalidUTF8     string   `name:"invalid-utf8" run:"same" way:"12" values:"refuse,replace" placeholder:"WHAT" help:"What becomes of bytes that are in no character. replace: each becomes U+FFFD, and --stats counts them. refuse: where records leave as they came, so do such bytes; a record that is to be converted cannot be read. (default: refuse)"`
	AllFiles        bool     `help:"Of a directory, read all files. Without it, those are read that are called like records: of --format, or of any format. With --format text or file all are."`
	RemoteFlags     `group:"run"`
	MaxWindow       Size `group:"run" placeholder:"SIZE" default:"128MiB" help:"A compressed input that takes a larger window or dictionary, such as those of zstd --long=31, is not read. It is memory, up to twice. (default: ${default})"`
	LimitFlags      `group:"run"`
}

// RemoteFlags say where s3:// is.
type RemoteFlags struct {
	S3Endpoint string `name:"s3-endpoint" placeholder:"URL" help:"The server of s3://. (default: AWS_ENDPOINT_URL, or that of AWS)"`
	S3Region   string `name:"s3-region" placeholder:"NAME" help:"The region of s3://. (default: AWS_REGION, or what the server says)"`
}

// LimitFlags bound the work on records of any format. A record is held in memory whole, several
// times over while it is worked on.
type LimitFlags struct {
	MaxRecord Size `run:"same" way:"5" range:"[1,1GiB]" placeholder:"SIZE" default:"64MiB" help:"A longer record is not read into memory; it counts as one that cannot be read. (default: ${default})"`
	// MaxUnreadable is MaxUnreadable of a Filter.
	MaxUnreadable float64 `range:"(0,1]" placeholder:"SHARE" help:"If more of the records than this share cannot be read, the run fails in the end; and if none of the first 100 can be read, before anything is written. With 1 neither counts. (default: 0.5, and 20 records at least)"`
	Threads       int     `placeholder:"N" help:"Goroutines that parse and sketch. It never changes the output. (default: one for each CPU)"`
}

// RejectFlags say what becomes of records that have nothing to compare.
type RejectFlags struct {
	OnError string `run:"same" enum:",keep,divert,fail" default:"" placeholder:"WHAT" brief:"keep, divert or fail, for records that cannot be read" help:"What becomes of records that cannot be read (bad JSON, no such field, not a string, too long). keep writes them to the output; divert writes them to --rejects only; fail keeps them and exits with 3 in the end, or with 5 if the input ends in the middle of one. A FILE that breaks off is left there and the run goes on, to exit with 4; with fail it stops. (default: keep, but where none of the first 100 records can be read, the run stops before anything is written)"`
	EmptyFlags
}

// EmptyFlags say what becomes of records whose text is empty.
type EmptyFlags struct {
	Empty string `run:"same" enum:"keep,drop,reject" default:"keep" placeholder:"WHAT" help:"What becomes of records whose text is empty, or white space: keep, drop, or reject as one that cannot be read. (default: ${default})"`
}

// TextFlags say how a text becomes a set.
type TextFlags struct {
	Preset      string `not:"simhash,tlsh,samples,embedding,equality,key,parts,sketched" placeholder:"NAME" brief:"the settings of a published recipe: help presets" help:"Take the flags of this and the next group from a published recipe; mithril-stream help presets says which. A flag given beside it changes what it names; bands and rows are tuned anew where --threshold, --tune, --recall or --num-perm is given."`
	Markup      string `not:"vectors,tokens,key,edits,sketched" default:"none" values:"none,html,html-text,markdown,auto" placeholder:"WHAT" help:"Take the text out of markup before it is compared; the record itself is not changed. html: the main content of a page. html-text: all its visible text. markdown. auto: html where a text begins like a page, markdown where it has headings, fences, links, tables or bold. (default: ${default})"`
	Normalize   string `not:"embedding,tokens,parts,sketched" placeholder:"HOW" values:"nfkc-fold,fineweb,ccnet,none" help:"What is made equal before texts are compared: nfkc-fold, fineweb, ccnet, none, or a list of steps. nfkc-fold: Unicode NFKC, lower case, invisible format characters removed. fineweb, ccnet: as these pipelines do. none: compare the text as it is. Or a list of steps, such as nfkc-fold,strip-accents; docs/reference/text.md has them all. (default: nfkc-fold)"`
	Tokenize    string `not:"tlsh,embedding,tokens,equality,key,parts,sketched" placeholder:"HOW" values:"word,word-grams,whitespace,char,uax29,grapheme,chinese,lines,paragraphs" help:"What a token is. word: letters and digits; each character of scripts written without spaces. whitespace: whatever stands between white space. char: characters. Also uax29, grapheme, chinese (words by dictionary), lines, paragraphs. (default: word)"`
	ShingleSize int    `not:"tlsh,embedding,equality,key,parts,sketched" range:"[1,)" aliases:"ngram" placeholder:"N" help:"How many neighbouring tokens make one element of the set. (default: 5; 2 with --sketch simhash, 1 with --idf)"`
}

// SimilarFlags say which sets are taken for duplicates.
type SimilarFlags struct {
	TuneFlags
	Sketch    string     `not:"equality,key,parts,prefix,sketched" experts:"affine,datasketch,murmur3" placeholder:"HOW" help:"What texts are compared by. fss: Fast Similarity Sketching. affine: independent hash functions, slower, exactly 1-(1-J^R)^B. datasketch, murmur3: the values of datasketch and Doubri. The filter and groups also take simhash: a fingerprint of 64 or 128 bits, near others by its --distance; tlsh: a digest of bytes, likewise (docs/reference/fingerprints.md); and embedding: vectors of a --model, for texts that say the same in other words; --threshold is their cosine then, 0.9 by default (docs/reference/embedding.md); and fracminhash: how much of one text is in another one, as of a page that was cut or quoted; --threshold is that share, 0.8 by default (docs/concepts/containment.md). (default: fss)"`
	BandKey   string     `not:"simhash,tlsh,samples,embedding,equality,key,parts,prefix,sketched" expert:"" default:"xxh3" values:"xxh3,sum" placeholder:"HOW" help:"What the key of a band is. xxh3: a 128-bit hash of the band. sum: the sum of its slots, as in the paper's reference code; it removes unrelated texts and is here for comparison only. (default: ${default})"`
	GivenSeed *spec.Seed `not:"simhash,tlsh,samples,embedding,equality,key,parts,prefix,sketched" name:"seed" placeholder:"N" help:"Seed of the hash functions. random: draw one, which is kept in --index, and found there again, so that strangers cannot make texts that remove others; costs more time. (default: 1)"`
	Seed      spec.Seed  `kong:"-"` // GivenSeed, or that of the preset
}

// TuneFlags say how signatures are cut into bands, and how many of them make a duplicate.
type TuneFlags struct {
	Threshold  float64 `not:"simhash,tlsh,equality,key,parts" run:"same" range:"(0,1]" placeholder:"J" brief:"similarity that makes a duplicate (default: 0.85)" help:"Jaccard similarity from which two texts should count as duplicates. (default: 0.85)"`
	Tune       string  `not:"simhash,tlsh,samples,embedding,equality,key,parts,prefix,sketched" expert:"" values:"f2,f1,recall,balanced" placeholder:"HOW" help:"How permutations, bands, rows and votes follow from the threshold. f2: the best balance of what is removed wrongly and what stays, which weighs more. f1: both weigh the same. recall: a pair at the threshold is caught with the probability --recall. balanced: one vote, and false positives and false negatives weigh the same, as in the LSHBloom paper and datasketch. docs/design/errors.md has more. (default: f2, or recall with --recall)"`
	Recall     float64 `not:"simhash,tlsh,samples,embedding,equality,key,parts,prefix,sketched" range:"(0,1)" placeholder:"P" help:"Choose bands that catch a pair at the threshold with at least this probability. Without it they are chosen for the best balance of records that are removed wrongly and missed. (default: 0.95 where candidates are verified, as by --memory exact)"`
	Profile    string  `not:"simhash,tlsh,samples,embedding,equality,key,parts,prefix,sketched" expert:"" values:"boilerplate,distinct,templates" placeholder:"NAME" help:"What earlier records a record is expected to meet, for --tune: boilerplate, distinct, templates, or as in 0.05:1000@0.3: one record in twenty meets 1000 others at a similarity of 0.3. (default: boilerplate)"`
	NumPerm    int     `not:"simhash,tlsh,samples,embedding,equality,key,parts,prefix,sketched" range:"[1,65536]" aliases:"permutations" placeholder:"K" help:"Length of a MinHash signature. (default: 256, or what fits the threshold best)"`
	LeastSlots int     `kong:"-"` // of a signature, if NumPerm is left open
	Bands      int     `not:"simhash,tlsh,samples,embedding,equality,key,parts,prefix,sketched" range:"[1,)" outside:"--bands and --rows must both be given, both at least 1" placeholder:"B" help:"Number of bands, instead of tuning; needs --rows."`
	Rows       int     `not:"simhash,tlsh,samples,embedding,equality,key,parts,prefix,sketched" range:"[1,)" outside:"--bands and --rows must both be given, both at least 1" placeholder:"R" help:"Signature slots a band, instead of tuning; needs --bands."`
	Votes      int     `not:"simhash,tlsh,samples,embedding,equality,key,parts,prefix,sketched" range:"[1,)" placeholder:"C" help:"A record is a duplicate if at least this many of its bands were seen before. 1 is the rule of LSHBloom and MinHashLSH. (default: 8 of 32 bands; what fits the threshold best; 1 with --bands or a preset)"`
}

// IndexFlags say how it is remembered what was seen, and when it is made to last.
type IndexFlags struct {
	MemoryFlags
	Checkpoint Checkpoint `not:"kinds,read-only" needs:"--index DIR: that is what is committed" placeholder:"WHEN" help:"Commit --index on the way, at an interval (30s, 10m) or after a number of records (100000, 5M), so that the run can be resumed."`
	RepeatFlags
	CacheFlags
	Resume bool `not:"kinds,read-only" needs:"--index DIR: there it is written how far the run has come" help:"Go on where the run of the same command that was interrupted had its last checkpoint: the input is skipped up to there, the output files are cut back."`
}

// CacheFlags say where copies of indexes in buckets are.
type CacheFlags struct {
	IndexCache string `not:"kinds" placeholder:"DIR" help:"Where an index of a bucket is on this machine while a run works on it, and what was fetched of it for the next one. (default: mithril-stream in the user's directory of caches)"`
}

// RepeatFlags say what becomes of an input that was read before.
type RepeatFlags struct {
	Repeat    string `not:"kinds" enum:"replay,judge" default:"replay" placeholder:"WHAT" help:"What becomes of an input that --index has taken in before. replay: its records are decided as they were then, and the index stays as it is. judge: they are judged like any others, which makes all of them duplicates. (default: ${default})"`
	Overwrite bool   `not:"kinds" help:"Let this run write over the outputs of earlier runs with the same --index. Without it such a run is refused: what it would replace is in the index, and no run would write it again."`
	UndoRuns  int    `not:"kinds" range:"[0,)" default:"1" placeholder:"N" help:"How many of the last runs mithril-stream index undo can take back. A run that folds the log of the index keeps the files that it replaces for that, until the next run is complete; index inspect says how large they are. (default: ${default})"`
	KeepRuns  int    `not:"kinds" range:"[0,)" default:"30" placeholder:"N" help:"Of how many runs --index keeps the verdicts for --repeat replay, at 190 KB a million records. (default: ${default})"`
}

// MemoryFlags say how it is remembered what was seen, and where.
type MemoryFlags struct {
	Index    string `not:"set,kinds,audit,sketched" placeholder:"DIR" brief:"what earlier runs have seen is kept here" help:"Keep the memory in this directory, or in a bucket, s3://bucket/prefix, gs://bucket/prefix or az://container/prefix: what an earlier run has seen is a duplicate in this one. It is created if it is not there, and committed when the run is complete."`
	ReadOnly bool   `not:"set,auto,kinds,counts" needs:"--index DIR|--against DIR: without one there is nothing to compare with" help:"Ask --index and --against, but add nothing: each record is compared with them alone, not with its neighbours."`
	SeenFlags
}

// SeenFlags say what an index is like wherever it is kept, and what records are compared with
// beside it.
type SeenFlags struct {
	Against         []string `not:"set,auto,kinds,counts,audit" run:"same" way:"7" placeholder:"DIR" sep:"none" help:"Remove also what resembles a record of this index, which is not changed. Repeat it for several."`
	GivenCapacity   *Count   `not:"set,kinds" range:"[1,)" name:"capacity" placeholder:"N" help:"Records to plan for. More are no error: the index grows. A good guess saves time and memory. (default: that of the index; for a new one what the sizes of files say, and at least 1M)"`
	GivenFPRate     *float64 `not:"simhash,tlsh,samples,embedding,keys,set,kinds" range:"(0,1)" name:"fp-rate" placeholder:"P" help:"Probability that the index takes an unseen record for a duplicate when it is full, over all bands; with --method an unseen part. (default: 1e-8; 1e-3 for n-grams)"`
	OnFull          string   `not:"simhash,tlsh,samples,embedding,keys,kinds" default:"grow" enum:"grow,refuse" values:"grow,refuse" placeholder:"WHAT" help:"What happens beyond --capacity: grow adds a larger generation that keeps --fp-rate; refuse stops with an error. (default: ${default})"`
	KeepGenerations int      `not:"set,auto,kinds,counts" range:"[1,)" outside:"--keep-generations must be between 2 and 64" placeholder:"N" help:"Keep at most N generations of the memory, 2 or more, and forget the oldest one when a further one is opened. At least the last --capacity records that were inserted are remembered, at most N/(N-1) times as many. For streams that never end. (default: nothing is forgotten)"`
	Remember        string   `not:"parts,kinds" default:"all" enum:"all,unseen" values:"all,unseen" placeholder:"WHICH" help:"What a record is compared with. all: a record is a duplicate if it resembles any earlier one (the paper's definition). unseen: if it resembles one that was kept. (default: ${default})"`
	Filter          string   `not:"simhash,tlsh,samples,embedding,keys,kinds" default:"" enum:",tagged,paged,classic" values:"tagged,paged,classic" experts:"classic" placeholder:"KIND" help:"How band keys are remembered. tagged: with the group of records that they belong to, so that only votes of one group count. paged: in Bloom filters laid out for caches, so that votes of any records count together. classic: in the textbook's Bloom filters, about 20 times slower. (default: that of the index; for a new one tagged, or paged where one vote makes a duplicate)"`

	Forget   ForgetFlags `kong:"-"` // by times
	Capacity Count       `kong:"-"` // GivenCapacity, or the default
	FPRate   float64     `kong:"-"` // GivenFPRate, or the default
}

// OutputFlags say what is written where.
type OutputFlags struct {
	Output       string      `not:"sketched" writes:"-" short:"o" placeholder:"FILE" default:"-" brief:"kept records (default: standard output)" help:"Where kept records go: a file, or an object, s3://bucket/key, gs://bucket/key or az://container/key. (default: standard output)"`
	Compress     Compression `not:"sketched" values:"gzip,zstd" placeholder:"HOW" help:"Compress the kept records: gzip or zstd, with a level as in zstd:19. A file whose name ends in .gz or .zst is compressed anyway, that of other streams too."`
	Duplicates   string      `not:"sketched" writes:"records" placeholder:"FILE" brief:"removed records" help:"Write the removed records here, as they came."`
	Rejects      string      `writes:"records" placeholder:"FILE" help:"Write the records that could not be read here, as they came."`
	Flags        string      `writes:"records" placeholder:"FILE" help:"Write a line for each record here: 1 kept, 0 removed."`
	Annotate     bool        `not:"told,edits,sketched" run:"same" way:"6" help:"Write every record, with the member \"mithril_duplicate\": true, false, or null where there is no text to compare."`
	Stats        string      `writes:"records" placeholder:"FILE" help:"Write the counts of the run here, as JSON."`
	RowGroupRows Count       `range:"[1,)" placeholder:"N" help:"Parquet: rows of a row group. (default: as many as the largest one of the first FILE has)"`
	RowGroupSize Size        `range:"[1,)" placeholder:"SIZE" help:"Parquet: how large a row group is before it is compressed, about; memory has to hold one, compressed. (default: 128MiB)"`
	Quiet        bool        `short:"q" brief:"no progress and no summary" help:"No progress and no summary on standard error."`
}
