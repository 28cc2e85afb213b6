package textfield

import (
	"slices"
	"strings"
	"unicode"
)

// A nameClass is what the name of a member says about its strings.
type nameClass uint8

const (
	nameUnknown  nameClass = iota
	nameText               // a text, whatever it looks like
	nameMedia              // an image, a sound or a film, by its path, URL or bytes: part of what is compared
	nameID                 // an identifier, a hash, a time or a score
	nameURL                // a URL
	nameLabel              // a label of the record, unless its values are sentences
	nameTools              // descriptions of tools, which many records share
	namePlace              // where the record was stored
	nameInstruct           // the system prompt
)

// texts are the usual names of texts in published data sets, in the order in which they are
// compared: tasks, what belongs to them, answers.
var texts = strings.Fields(`history title subject headline name heading
	instruction instructions prompt question questions query problem premise hypothesis sentence sentence1 sentence2
	sentence_a sentence_b text1 text2 anchor positive negative claim statement goal task ctx ctx_a ctx_b stem
	text content raw_content contents body document documents article articles markdown code message messages
	conversations conversation request
	input inputs context contexts passage passages paragraph paragraphs background story evidence
	choices options endings sol1 sol2 option_a option_b option_c option_d translation source_text target_text
	abstract summary highlights description caption captions review reviews comment dialogue dialog utterance utterances
	old_contents new_contents diff patch func docstring
	reasoning rationale explanation thought thinking trajectory steps
	chosen rejected output outputs completion completions response responses answer answers solution solutions target
	targets label labels`)

// What the usual names of other members are. Those of labels and places may have sentences: in
// pairs of translations source is a text.
var (
	idNames = strings.Fields(`id ids _id uid uuid guid idx index rowid row hash digest checksum sha sha1 sha256
		md5 hexsha crc etag doi isbn date time timestamp timestamps ts datetime created updated modified published
		createdon crawled fetched created_at updated_at year score scores rating ratings likes votes upvotes downvotes
		rank confidence probability perplexity signature`)
	idEndings = strings.Fields(`_id _ids _uid _uuid _guid _idx _index _hash _sha _sha1 _sha256 _md5 _digest _checksum
		_date _time _at _ts _timestamp _datetime _score _scores _rating _ratings _count _signature`)
	urlNames   = strings.Fields(`url urls uri uris link links href permalink canonical`)
	urlEndings = strings.Fields(`_url _urls _uri _uris _link _links _href`)
	labelNames = strings.Fields(`type lang language languages locale script source dataset data_source subset split
		config version license licence model model_name mime mime_type media_type content_type encoding charset dump
		domain host site extension ext finish_reason commit`)
	labelEnds  = strings.Fields(`_lang _language _license _licenses _version _type _model _source _split _dataset`)
	placeNames = strings.Fields(`path file filename filepath file_name file_path repo repos repo_name repository
		max_stars_repo_path max_stars_repo_name`)
	placeEnds   = strings.Fields(`_path _file _filename _repo _repo_name _repository`)
	toolNames   = strings.Fields(`tools functions tool_definitions available_tools function_definitions tool_list`)
	systemNames = strings.Fields(`system system_prompt system_instruction`)
	mediaNames  = strings.Fields(`image images img picture pictures photo photos figure figures screenshot screenshots
		video videos audio audios speech`)
)

// toolInputs are the members that hold the arguments of a tool call. Their numbers count, too.
var toolInputs = strings.Fields(`input inputs arguments args parameters params kwargs tool_input action_input`)

// classOf is what a name says.
func classOf(name string) nameClass {
	name = snake(name)
	has := func(names, endings []string) bool {
		return slices.Contains(names, name) ||
			slices.ContainsFunc(endings, func(end string) bool { return strings.HasSuffix(name, end) })
	}
	head, _, _ := strings.Cut(name, "_")
	switch {
	case slices.Contains(texts, name):
		return nameText
	case slices.Contains(systemNames, name):
		return nameInstruct
	case slices.Contains(toolNames, name):
		return nameTools
	case has(idNames, idEndings):
		return nameID
	case slices.Contains(mediaNames, name), slices.Contains(mediaNames, head):
		return nameMedia
	case has(urlNames, urlEndings):
		return nameURL
	case has(placeNames, placeEnds):
		return namePlace
	case has(labelNames, labelEnds):
		return nameLabel
	}
	return nameUnknown
}

// snake writes createdAt and created-at as created_at.
func snake(name string) string {
	var b strings.Builder
	var last rune
	for _, r := range name {
		switch {
		case unicode.IsUpper(r) && (unicode.IsLower(last) || unicode.IsDigit(last)):
			b.WriteByte('_')
			b.WriteRune(unicode.ToLower(r))
		case r == '-' || r == ' ':
			b.WriteByte('_')
		default:
			b.WriteRune(unicode.ToLower(r))
		}
		last = r
	}
	return b.String()
}

// rankOf is the place of a name among those of texts; the others come last.
func rankOf(name string) int {
	if i := slices.Index(texts, snake(name)); i >= 0 {
		return i
	}
	return len(texts)
}
