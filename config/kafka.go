package config

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/mithril-stream/mithril-stream/config/cmdline"
	"github.com/mithril-stream/mithril-stream/config/values"
	"github.com/mithril-stream/mithril-stream/internal/layout"
	"github.com/mithril-stream/mithril-stream/internal/memory/counts"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// Kafka asks to deduplicate a Kafka topic.
type Kafka struct {
	Topics   TopicFlags
	Security SecurityFlags
	Service  ServiceFlags

	OriginalHeaders // used with the exact memory; may be empty

	Confluent bool   // messages start with a schema ID
	NewIndex  bool   // start at the group's offsets with an index that does not know them
	Filter    Filter // settings shared with the filter, without inputs and outputs
}

// KafkaFlags are the flags of the consumer.
type KafkaFlags struct {
	TopicFlags    `group:"topics"`
	SecurityFlags `group:"security"`
	MessageFlags  `group:"records"`
	KafkaCompare
	Index     string `group:"index" required:"" placeholder:"DIR" help:"@kafka/index"`
	NewIndex  bool   `group:"index" help:"@kafka/new-index"`
	SeenFlags `group:"index"`
	ForgetFlags
	KafkaExact
	OriginalHeaders `group:"topics"`
	ServiceFlags    `group:"service"`
}

// KafkaCompare says how messages are compared.
type KafkaCompare struct {
	spec.Text      `group:"text"`
	TokenFlags     `group:"text"`
	SimilarFlags   `group:"similar"`
	ContainedFlags `group:"similar"`
	PartFlags      `group:"similar"`
	EqualityFlags  `group:"similar"`
	WithinFlags    `group:"similar"`
}

// TopicFlags say which topics are read and written.
type TopicFlags struct {
	Brokers         []string      `required:"" placeholder:"HOST:PORT,…" help:"The brokers to contact first; they name the others."`
	Group           string        `required:"" placeholder:"NAME" help:"The consumer group, whose offsets say how far the topic has been read."`
	From            string        `required:"" placeholder:"TOPIC" help:"The topic to read, from its beginning if the group is new."`
	To              string        `required:"" placeholder:"TOPIC" help:"Write unseen records to this topic, with their keys, headers and timestamps."`
	DuplicatesTo    string        `placeholder:"TOPIC" brief:"Write removed records here" help:"Write the removed records to this topic."`
	RejectsTo       string        `placeholder:"TOPIC" brief:"Write unreadable records here" help:"Write the records that could not be read to this topic."`
	CountsTo        string        `not:"bloom" placeholder:"TOPIC" brief:"Write here how often records have come" help:"@kafka/counts-to"`
	VerdictHeader   string        `placeholder:"NAME" brief:"Add the verdict as a header of this name" help:"Add a header of this name to written records, with the verdict: unseen, duplicate, empty or unreadable."`
	PartitionBy     string        `default:"source" enum:"source,key" placeholder:"WHAT" help:"@kafka/partition-by"`
	Compression     string        `default:"none" placeholder:"NAME" help:"Compression of the written records: none, gzip, snappy, lz4, zstd. (default: ${default})"`
	CommitInterval  time.Duration `default:"1s" placeholder:"TIME" brief:"How often to commit (default: 1s)" help:"@kafka/commit-interval"`
	GroupInstanceID string        `name:"group-instance-id" placeholder:"NAME" brief:"Join as a static member of this name" help:"Join the group as a static member of this name: it gets its partitions back after a restart."`
}

// KafkaExact holds the ExactFlags of the consumer.
type KafkaExact struct {
	Memory    string `rule:"yes" group:"index" enum:"bloom,exact" default:"bloom" placeholder:"WHICH" brief:"bloom, or exact to know what each record resembles" help:"@kafka/memory"`
	Verify    string `rule:"yes" group:"index" enum:",signature,text,containment,sample" default:"" placeholder:"HOW" brief:"What makes a candidate a duplicate (default: text)" help:"@kafka/verify"`
	ShareFlag `group:"index"`
	MaxMemory values.Size `range:"[1,)" group:"index" placeholder:"SIZE" brief:"Limit the memory for what was seen, as in 8GiB" help:"@kafka/max-memory"`
}

// OriginalHeaders name the message headers that tell which record a duplicate resembles.
type OriginalHeaders struct {
	OriginalHeader   string `not:"bloom" needs:"--duplicates-to TOPIC: it is for what goes there" placeholder:"NAME" brief:"Name the original in a header of this name" help:"@kafka/original-header"`
	SimilarityHeader string `not:"bloom" needs:"--duplicates-to TOPIC: it is for what goes there" placeholder:"NAME" brief:"Name the similarity in a header of this name" help:"With --memory exact: also add a header of this name, with the similarity of the two records."`
}

func (k KafkaFlags) checkExact(isGiven cmdline.Given) error {
	switch {
	case k.Memory != spec.MemoryExact && k.MaxMemory != 0:
		return errors.New("--max-memory needs --memory exact: between topics Bloom filters are in memory as a whole")
	case k.CountsTo != "":
		return withCounts.check(isGiven, "--counts-to")
	}
	return nil
}

// SecurityFlags say how to connect to brokers. They include no secrets, since other users can read
// command lines.
type SecurityFlags struct {
	TLS              bool     `name:"tls" help:"Encrypt connections, and verify the brokers' certificates with those that the system trusts."`
	TLSCA            string   `needs:"--tls: it is about encrypted connections" name:"tls-ca" placeholder:"FILE" help:"Trust these certificates instead (PEM)."`
	TLSCert          string   `needs:"--tls: it is about encrypted connections" name:"tls-cert" placeholder:"FILE" help:"Authenticate to the brokers with this certificate (PEM)."`
	TLSKey           string   `needs:"--tls: it is about encrypted connections" name:"tls-key" placeholder:"FILE" help:"The private key of --tls-cert (PEM)."`
	SASL             string   `name:"sasl" placeholder:"HOW" help:"@kafka/sasl"`
	SASLUsername     string   `needs:"--sasl HOW: it is about logging in" name:"sasl-username" placeholder:"NAME" help:"The name to log in with, or with --sasl-token-url the name of the client."`
	SASLPasswordFile string   `needs:"--sasl HOW: it is about logging in" name:"sasl-password-file" placeholder:"FILE" help:"The file with the password, instead of MITHRIL_STREAM_SASL_PASSWORD; a newline at its end is ignored."`
	SASLTokenFile    string   `needs:"--sasl oauthbearer: it is about tokens" name:"sasl-token-file" placeholder:"FILE" brief:"Where the token is" help:"The file with the token; it is read for each connection, so it may be renewed."`
	SASLTokenURL     string   `needs:"--sasl oauthbearer: it is about tokens" name:"sasl-token-url" placeholder:"URL" brief:"Request tokens from this server" help:"@kafka/sasl-token-url"`
	SASLScope        []string `needs:"--sasl-token-url URL: it is what tokens are asked for" name:"sasl-scope" placeholder:"SCOPE" help:"Request tokens of this scope; repeatable."`
}

// MessageFlags say where a message contains the text.
type MessageFlags struct {
	Format  string   `aliases:"value-format" default:"jsonl" placeholder:"NAME" values:"jsonl,confluent-json,text" brief:"jsonl, confluent-json or text (default: jsonl)" help:"@kafka/format"`
	Field   []string `rule:"field" aliases:"text-column" placeholder:"PATH" sep:"none" brief:"Where the text is, by path (default: text)" help:"@kafka/field"`
	OnError string   `enum:",keep,divert" default:"" placeholder:"WHAT" brief:"What to do with unreadable messages: keep or divert" help:"@kafka/on-error"`
	EmptyFlags
	LimitFlags
}

// ofLines treats the value of each message as a line if the recipe is for lines and no flag says
// otherwise.
func (m *MessageFlags) ofLines(r sketch.Recipe, isGiven cmdline.Given) {
	if r.Lines && !isGiven["--format"] && len(m.Field) == 0 {
		m.Format = "text"
	}
}

// ServiceFlags say how the consumer can be monitored.
type ServiceFlags struct {
	Check     bool   `brief:"Check that everything fits, and exit" help:"@kafka/check"`
	Listen    string `placeholder:"ADDRESS" brief:"Serve health and metrics over HTTP here" help:"@kafka/listen"`
	LogFormat string `default:"text" enum:"text,json" placeholder:"NAME" brief:"text or json (default: text)" help:"The format of messages on standard error: text or json. (default: ${default})"`
	LogLevel  string `default:"info" enum:"debug,info,warn,error" placeholder:"NAME" brief:"debug, info, warn or error (default: info)" help:"The lowest level of messages to print: debug, info, warn or error. (default: ${default})"`
}

// confluentJSON is the format of JSON objects preceded by a schema ID.
const confluentJSON = "confluent-json"

var (
	compressionNames = []string{"none", "gzip", "snappy", "lz4", "zstd"}
	messageFormats   = []string{"jsonl", confluentJSON, "text"}
)

// Bounds of the commit interval: below, a transaction would cost too much; above, brokers would
// abort it.
const minCommitInterval, maxCommitInterval = 10 * time.Millisecond, 10 * time.Minute

func (k KafkaFlags) resolve(isGiven cmdline.Given) (Command, error) {
	if err := k.PartFlags.checkTopic(k.Preset, k.Memory); err != nil {
		return nil, err
	}
	madeBy := ruleArguments(k, isGiven)
	c := comparisonOf(&k, isGiven, &k.Field)
	c.ExactFlags, c.Index, c.format = (*ExactFlags)(&k.KafkaExact), k.Index, k.Format
	if err := c.resolvePartsFirst(); err != nil {
		return nil, err
	}
	recipe, err := findPreset(k.Preset, k.Threshold)
	if err != nil {
		return nil, err
	}
	isConfluent := k.Format == confluentJSON
	if isConfluent {
		k.Format = "jsonl"
	}
	if k.TokenIDs != "" && k.Format != "jsonl" {
		return nil, fmt.Errorf("--tokens names a field of a JSON object: leave --format %s out", k.Format)
	}
	if err := c.resolveTokens(); err != nil {
		return nil, err
	}
	c.SeenFlags.complete(recipe)
	c.completeForget()
	c.Text.Complete(recipe)
	k.ofLines(recipe, c.given)
	if err := c.resolveSamples(); err != nil {
		return nil, err
	}
	c.ExactFlags.complete(c.isOfShingles())
	c.completeTuning(recipe)
	if err := firstOf(k.TopicFlags.check, k.SecurityFlags.check, k.checkMessages, k.LimitFlags.check, k.Tuning.Check,
		func() error { return k.checkExact(c.given) }, c.checkExact); err != nil {
		return nil, err
	}
	if slices.Contains(k.Against, k.Index) {
		return nil, fmt.Errorf("--against %s is the same directory as --index", k.Index)
	}
	method, err := c.method()
	method.Memory.Counting = k.counting()
	method.Memory.MadeBy = madeByAll(madeBy, method.Memory)
	return &Kafka{
		OriginalHeaders: k.OriginalHeaders, NewIndex: k.NewIndex,
		Confluent: isConfluent,
		Topics:    k.TopicFlags, Security: k.SecurityFlags, Service: k.ServiceFlags,
		Filter: Filter{
			Input: Input{
				Records:   layout.Settings{Name: k.Format, Fields: k.Field, Lines: layout.Lines{Separator: "\n"}},
				MaxRecord: int(k.MaxRecord), Threads: k.Threads, Tokens: k.TokenIDs,
				Unreadable: Unreadable{OnError: onError(k.OnError), OnErrorGiven: k.OnError != "", Empty: k.Empty},
			},
			Method: method,
		},
	}, err
}

// counting returns which copies of records to count, or nil for none.
func (k KafkaFlags) counting() *counts.Selection {
	if k.CountsTo == "" {
		return nil
	}
	return &counts.Selection{Time: counts.MessageTime}
}

func (t TopicFlags) check() error {
	taken := map[string]string{t.From: "--from"}
	for _, o := range []struct{ flag, topic string }{{"--to", t.To}, {"--duplicates-to", t.DuplicatesTo},
		{"--rejects-to", t.RejectsTo}} {
		other, ok := taken[o.topic]
		switch {
		case o.topic == "":
		case ok && other == "--from":
			return fmt.Errorf("%s writes to the topic that is read, %s: it would never end", o.flag, o.topic)
		case ok && t.VerdictHeader == "":
			return fmt.Errorf("%s and %s both write to %s: give each its own topic, or add --verdict-header to "+
				"tell the records apart", other, o.flag, o.topic)
		}
		taken[o.topic] = o.flag
	}
	if flag, isTaken := taken[t.CountsTo]; isTaken && t.CountsTo != "" {
		return fmt.Errorf("--counts-to and %s are both %s: what is counted needs a topic of its own", flag, t.CountsTo)
	}
	switch {
	case !slices.Contains(compressionNames, t.Compression):
		return fmt.Errorf("--compression %s is not known: use one of %s", t.Compression,
			strings.Join(compressionNames, ", "))
	case t.CommitInterval < minCommitInterval || t.CommitInterval > maxCommitInterval:
		return fmt.Errorf("--commit-interval %s must be between %s and %s", t.CommitInterval, minCommitInterval,
			maxCommitInterval)
	}
	return nil
}

func (s SecurityFlags) check() error {
	switch {
	case (s.TLSCert == "") != (s.TLSKey == ""):
		return errors.New("--tls-cert and --tls-key belong together: give both")
	}
	switch s.SASL {
	case "":
	case "plain", "scram-sha-256", "scram-sha-512":
		if s.SASLUsername == "" {
			return fmt.Errorf("--sasl %s needs --sasl-username", s.SASL)
		}
	case "oauthbearer":
		return s.checkTokens()
	case "aws-msk-iam":
		if s.SASLUsername != "" || s.SASLPasswordFile != "" {
			return errors.New("--sasl aws-msk-iam takes no name and no password: it uses the credentials of AWS")
		}
		if !s.TLS {
			return errors.New("--sasl aws-msk-iam needs --tls, as the brokers do")
		}
	default:
		return fmt.Errorf("--sasl %s is not known: use one of plain, scram-sha-256, scram-sha-512, oauthbearer, "+
			"aws-msk-iam", s.SASL)
	}
	return nil
}

// checkTokens checks the flags about OAuth tokens.
func (s SecurityFlags) checkTokens() error {
	switch {
	case (s.SASLTokenFile == "") == (s.SASLTokenURL == ""):
		return errors.New("--sasl oauthbearer needs --sasl-token-file or --sasl-token-url, one of them")
	case s.SASLTokenURL == "" && (s.SASLUsername != "" || s.SASLPasswordFile != ""):
		return errors.New("--sasl-token-file has all that is needed: leave out --sasl-username and " +
			"--sasl-password-file")
	case s.SASLTokenURL != "" && s.SASLUsername == "":
		return errors.New("--sasl-token-url needs --sasl-username, the name of the client")
	}
	if s.SASLTokenURL != "" {
		u, err := url.Parse(s.SASLTokenURL)
		if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
			return fmt.Errorf("--sasl-token-url %s is not an address such as https://login.example/oauth2/token",
				s.SASLTokenURL)
		}
	}
	return nil
}

// NeedsPassword reports whether a password must be read.
func (s SecurityFlags) NeedsPassword() bool {
	return s.SASL != "" && s.SASL != "aws-msk-iam" && s.SASLTokenFile == ""
}

func (k KafkaFlags) checkMessages() error {
	switch {
	case !slices.Contains(messageFormats, k.Format):
		return fmt.Errorf("--format %s is not known for messages: use one of %s", k.Format,
			strings.Join(messageFormats, ", "))
	case k.OnError == "divert" && k.RejectsTo == "":
		return errors.New("--on-error divert needs --rejects-to TOPIC, or the messages would be lost")
	}
	return nil
}
