package sketch

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// What docs/recipes/logs.md says about the lines of a log, read aloud.
var (
	logRuns    = regexp.MustCompile(`[A-Za-z0-9_.:/@-]+`)
	logSigns   = regexp.MustCompile(`^[_.:/@-]*$`)
	logParts   = regexp.MustCompile(`[A-Za-z0-9]+`)
	logAddress = regexp.MustCompile(`^[^@]+@.`)
	logVersion = regexp.MustCompile(`^(?i:http)/.{1,3}$`)
	logCode    = regexp.MustCompile(`^(?i:[a-z]*(?:code|errno|digo|codice|gabewert)|rc)$`)
	logStatus  = regexp.MustCompile(`^(?i:[a-z]*(?:status|statut|estado|exit))$`)
	logLink    = regexp.MustCompile(`^(?i:is|was|returned|responded|response|error|retour|sortie|erreur|retorno|` +
		`salida|uscita|de|du|di|d|est|es|ist|war|of)$`)
	logMethod = regexp.MustCompile(`^(?i:get|head|post|put|delete|connect|options|trace|patch)$`)
	logFlag   = regexp.MustCompile(`^(?i:enabled|disabled|ok|success|succeeded|up|active|healthy|alive|ready|valid|` +
		`online|connected|available|reachable)$`)
	logOutcome = regexp.MustCompile(`^(?i:trace|debug|info|notice|warn|warnings?|err|errors?|crit|critical|alert|` +
		`emerg|fatal|panic|severe|ok|fail|failed|failure|pass|passed|success|succeeded|up|down)$`)
	logDates = regexp.MustCompile(`^(?i:mon(?:day)?|tue(?:sday)?|wed(?:nesday)?|thu(?:rsday)?|fri(?:day)?|` +
		`sat(?:urday)?|sun(?:day)?|jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:tember)?|` +
		`oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)$`)

	logNumber = regexp.MustCompile(`^(.*:)?((?:-?[0-9]{1,5}|-[0-9]{6,10}|([0-9]{10}))(?:\.0+)?|0[xX][0-9A-Fa-f]{1,8})` +
		`(?:[_.:/@-][^0-9]*)?$`)
	logHTTPStatus = regexp.MustCompile(`^[1-5][0-9][0-9]$`)
	logUnit       = regexp.MustCompile(`^ *(?:[Mm][Ss]|[Mm][Ss][Ee][Cc]|[Uu][Ss]|[µμ][Ss]|[Nn][Ss]|[Ss]|[Ss][Ee][Cc]|` +
		`[Bb]|[Bb][Yy][Tt][Ee][Ss]|[Kk][Bb]|[Mm][Bb]|[Kk][Ii][Bb]|[Mm][Ii][Bb]|%)(?:[^A-Za-z0-9]|$)`)
	logTimers      = regexp.MustCompile(`^-?[0-9]+(?:/-?[0-9]+){4}$`)
	logGlog        = regexp.MustCompile(`^[A-Za-z][0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2}`)
	logSquid       = regexp.MustCompile(`^(?i:tcp_|none)[A-Za-z_]*/[1-5][0-9][0-9]$`)
	logForeignWord = regexp.MustCompile(`(?:код|кодом|статус|статусом|возврата|код (?:ответа|ошибки|завершения|выхода)|` +
		`状态码|状态|返回码|退出码|错误码|响应码|代码|返回值|狀態碼|狀態|代碼|ステータス|コード|상태|코드|código de saída)` +
		`[为是為は는가]?[\x00-/:-@\[-\x60{-\x7f]*$`)
	logPictograph = regexp.MustCompile(`[\x{2180}-\x{21ff}\x{2600}-\x{27bf}\x{1f300}-\x{1ffff}]`)
)

// A definedLogRun is a run of a line and what becomes of it.
type definedLogRun struct {
	at             []int
	run, becomes   string
	starts, ends   bool   // it begins and ends with what is masked
	announces      string // what it says about the next run
	columnOfStatus bool
}

// definedLogLine masks a line: first each run by itself and the ones before, then the dates beside
// what is masked.
func definedLogLine(line string) string {
	line = logPictograph.ReplaceAllStringFunc(line, func(sign string) string {
		spelled := " sign"
		for _, digit := range fmt.Sprintf("%05x", []rune(sign)[0]) {
			spelled += string(rune('a' + strings.IndexRune("0123456789abcdef", digit)))
		}
		return spelled + " "
	})
	var runs []definedLogRun
	before, said, column := "", 0, -1 // what the run before announces, and where it ends
	for i, at := range logRuns.FindAllStringIndex(line, -1) {
		r := definedLogRun{at: at, run: line[at[0]:at[1]], becomes: line[at[0]:at[1]]}
		r.decide(line, before, strings.TrimRight(line[:said], "_.:/@-"))
		word := strings.Trim(r.run, "_.:/@-")
		carries := logSigns.MatchString(r.becomes) ||
			logLink.MatchString(word) && strings.Contains(" code status http target ", " "+before+" ")
		switch {
		case carries && before == "status" && strings.EqualFold(word, "of"):
			before = "http"
		case !carries:
			before, said = r.announces, at[1]
		}
		switch {
		case r.columnOfStatus && column < 0:
			column = i
		case r.announces == "target" && column >= 0:
			runs[column].becomes, column = runs[column].run, -1
		}
		runs = append(runs, r)
	}
	maskDefinedDates(line, runs)
	var b strings.Builder
	end := 0
	for _, r := range runs {
		b.WriteString(line[end:r.at[0]] + r.becomes)
		end = r.at[1]
	}
	return b.String() + line[end:]
}

// decide decides about a run by what is before and after it.
func (r *definedLogRun) decide(line, before, said string) {
	mask := func(as string) { r.becomes, r.starts, r.ends = as, true, true }
	hasDigit := strings.ContainsAny(r.run, "0123456789")
	gap, rest := line[len(said):r.at[0]], line[r.at[1]:]
	switch {
	case (r.run[0] == '/' || strings.Contains(r.run, "://")) && before == "method":
		r.becomes, r.announces = "/0", "target"
	case r.run[0] == '/', strings.Contains(r.run, "://"), !hasDigit && logAddress.MatchString(r.run):
		mask("0")
	case !hasDigit:
		r.announces = definedAnnouncement(r.run)
	case r.isStatus(line[:r.at[0]], before, strings.ContainsAny(gap, "=:"), rest):
	case logTimers.MatchString(r.run):
		r.becomes, r.announces = "0/0/0/0/0", "http"
	case logGlog.MatchString(r.run+rest) && len(r.run) == 5:
		r.becomes, r.ends = r.run[:1]+" 0", true
	case logVersion.MatchString(r.run):
		r.becomes, r.announces = "http/0", "http"
	case logSquid.MatchString(r.run):
	case logHTTPStatus.MatchString(r.run) && strings.HasSuffix(line[:r.at[0]], "| ") && strings.HasPrefix(rest, " |"):
		mask("0")
		r.columnOfStatus = true
	default:
		r.name(r.run)
	}
}

// isStatus decides about a run that ends in a status.
func (r *definedLogRun) isStatus(text, before string, assigned bool, rest string) bool {
	m := logNumber.FindStringSubmatchIndex(r.run)
	if m == nil {
		return false
	}
	name, number := r.run[:m[4]], r.run[m[4]:m[5]]
	if m[6] >= 0 {
		if n, _ := strconv.ParseUint(r.run[m[6]:m[7]], 10, 64); n < 1<<31 || n >= 1<<32 {
			return false
		}
	}
	if part := strings.Trim(name, "_.:/@-"); part != "" {
		if before = definedAnnouncement(part); strings.ContainsAny(name, "/@") &&
			strings.ContainsAny(part, "0123456789") {
			return false
		}
		if before == "http" || before == "method" {
			return false
		}
	} else if before == "" && logForeignWord.MatchString(text) {
		before = "code"
	}
	switch before {
	case "code", "status":
	case "http", "target":
		if !logHTTPStatus.MatchString(number) || logUnit.MatchString(rest) {
			return false
		}
	case "flag":
		if number != "0" && number != "1" || name == "" && !assigned {
			return false
		}
	default:
		return false
	}
	if strings.ContainsAny(name, "0123456789") {
		r.name(name)
	} else {
		r.becomes = name
	}
	r.becomes, r.ends, r.announces = r.becomes+r.run[m[4]:], false, ""
	if words := definedAnnouncement(r.run[m[5]:]); words == "code" || words == "status" || words == "flag" {
		r.announces = words
	}
	return true
}

// definedAnnouncement is what a run without digits says about the next.
func definedAnnouncement(run string) string {
	word := strings.Trim(run, "_.:/@-")
	part := word[strings.LastIndexAny(word, "_.:/@-")+1:]
	switch {
	case logFlag.MatchString(part):
		return "flag"
	case logCode.MatchString(part):
		return "code"
	case logStatus.MatchString(part):
		return "status"
	case strings.EqualFold(word, "http"):
		return "http"
	case logMethod.MatchString(word):
		return "method"
	}
	return ""
}

// name decides about a name with a digit.
func (r *definedLogRun) name(name string) {
	kept := make([]bool, len(name)+1)
	keep := func(start, end int) {
		for i := start; i < end; i++ {
			kept[i] = true
		}
	}
	isAddress := strings.ContainsAny(name, "/@")
	hasDigit := func(text string) bool { return strings.ContainsAny(text, "0123456789") }
	start := 0
	for field := range strings.SplitSeq(name, ":") {
		word := strings.TrimRight(field, "_./@-")
		if !isAddress && hasDigit(name[:start]) && !hasDigit(word) &&
			regexp.MustCompile(`^[A-Za-z]`).MatchString(word) && !regexp.MustCompile(`^[A-Fa-f]*$`).MatchString(word) &&
			!logDates.MatchString(word[strings.LastIndexAny(word, "_.-")+1:]) {
			keep(start, start+len(word))
		}
		start += len(field) + 1
	}
	before := ""
	for _, at := range logParts.FindAllStringIndex(name, -1) {
		part, last := name[at[0]:at[1]], logSigns.MatchString(name[at[1]:])
		besideColon := at[0] > 0 && name[at[0]-1] == ':' || strings.HasPrefix(name[at[1]:], ":")
		announced := definedAnnouncement(part)
		switch {
		case logOutcome.MatchString(part) && (besideColon || last && hasDigit(before) ||
			!isAddress && regexp.MustCompile(`^[0-9]+$`).MatchString(before)):
			keep(at[0], at[1])
		case last && !isAddress && hasDigit(name[:at[0]]) && strings.Contains(" code status flag ", " "+announced+" "):
			keep(at[0], at[1])
		}
		if last && kept[at[0]] && !isAddress && strings.Contains(" code status flag ", " "+announced+" ") {
			r.announces = announced
		}
		before = part
	}
	r.mask(name, kept)
}

// mask masks what is not kept of a name.
func (r *definedLogRun) mask(name string, kept []bool) {
	r.becomes = ""
	for i := 0; i < len(name); {
		end := i
		for end < len(name) && kept[end] == kept[i] {
			end++
		}
		part := name[i:end]
		isMasked := !kept[i] && !logSigns.MatchString(part)
		if isMasked {
			parts := logParts.FindAllStringIndex(part, -1)
			before, after := part[:parts[0][0]], part[parts[len(parts)-1][1]:]
			if i == 0 {
				before = ""
			}
			if end == len(name) {
				after = ""
			}
			part = before + "0" + after
		}
		if isMasked && i == 0 {
			r.starts = true
		}
		if isMasked || kept[i] {
			r.ends = isMasked
		}
		r.becomes += part
		i = end
	}
}

func maskDefinedDates(line string, runs []definedLogRun) {
	gap := regexp.MustCompile(`^[ ,]{1,3}$`)
	near := func(i int) bool {
		return i > 0 && gap.MatchString(line[runs[i-1].at[1]:runs[i].at[0]])
	}
	mask := func(i int) {
		if logDates.MatchString(runs[i].run) {
			runs[i].becomes, runs[i].starts, runs[i].ends = "0", true, true
		}
	}
	for i := range runs {
		if near(i) && runs[i-1].ends {
			mask(i)
		}
	}
	for i := len(runs) - 2; i >= 0; i-- {
		if near(i+1) && runs[i+1].starts {
			mask(i)
		}
	}
}
