package sketch

import "bytes"

// logWords are the words that mean something for what follows them. They are in small letters and
// have at most maxLogWord of them.
var logWords = func() map[string]logRun {
	words := make(map[string]logRun)
	for kind, list := range map[logRun]string{
		dateRun: "mon monday tue tuesday wed wednesday thu thursday fri friday sat saturday sun sunday jan january " +
			"feb february mar march apr april may jun june jul july aug august sep september oct october nov " +
			"november dec december",
		httpRun:   "http",
		methodRun: "get head post put delete connect options trace patch",
		flagRun: "enabled disabled ok success succeeded up active healthy alive ready valid online connected " +
			"available reachable",
		ofRun: "of",
		// Code retour, code d'erreur, código de salida, codice di uscita, Code war
		linkRun: "is was returned responded response error retour sortie erreur retorno salida uscita de du di d " +
			"est es ist war",
	} {
		for _, word := range bytes.Fields([]byte(list)) {
			words[string(word)] = kind
		}
	}
	return words
}()

const maxLogWord = 9

// logSuffixes are the ends of words after which a number is a status: exitcode, Rückgabewert. So is
// one after rc, but only if that is a word of its own.
var logSuffixes = []struct {
	suffix string
	kind   logRun
}{
	{"code", codeRun}, {"errno", codeRun}, {"digo", codeRun}, {"codice", codeRun}, {"gabewert", codeRun},
	{"status", statusRun}, {"statut", statusRun}, {"estado", statusRun}, {"exit", statusRun},
}

// logOutcomes are levels and outcomes, which are kept in names with digits too.
var logOutcomes = func() map[string]bool {
	words := make(map[string]bool)
	for _, word := range bytes.Fields([]byte("trace debug info notice warn warning warnings err error errors crit " +
		"critical alert emerg fatal panic severe ok fail failed failure pass passed success succeeded up down")) {
		words[string(word)] = true
	}
	return words
}()

// logTails tells by the last two letters of a word in which of the lists it may be. Most words of a
// line are in none.
var logTails = func() (table [1 << 10]uint8) {
	for word := range logWords {
		table[logTail([]byte(word))] |= logWordTail
	}
	for _, s := range logSuffixes {
		table[logTail([]byte(s.suffix))] |= logSuffixTail
	}
	table[logTail([]byte("rc"))] |= logSuffixTail
	for word := range logOutcomes {
		table[logTail([]byte(word))] |= logOutcomeTail
	}
	return table
}()

const (
	logWordTail uint8 = 1 << iota
	logSuffixTail
	logOutcomeTail
)

// logTail is the place of a word in logTails.
func logTail(word []byte) int {
	n := len(word)
	if n < 2 {
		return int(word[0] & 31)
	}
	return int(word[n-2]&31)<<5 | int(word[n-1]&31)
}

// kindOfWord is what a run without a digit means for the run after it.
func kindOfWord(run []byte, classes uint8) logRun {
	if classes&logSign == 0 {
		return kindOfLetters(run)
	}
	word := bytes.Trim(run, variableSigns)
	part := lastPart(word)
	kind := kindOfLetters(part)
	switch {
	case kind == dateRun:
		return otherRun
	case kind == codeRun || kind == statusRun || kind == flagRun || len(part) == len(word):
		return kind
	}
	return otherRun
}

// lastPart is what follows the last sign in a run that does not end in one.
func lastPart(run []byte) []byte { return run[bytes.LastIndexAny(run, variableSigns)+1:] }

// kindOfLetters is the same as kindOfWord for a run of letters.
func kindOfLetters(word []byte) logRun {
	tail := logTails[logTail(word)]
	if tail == 0 {
		return otherRun
	}
	if tail&logWordTail != 0 && len(word) <= maxLogWord {
		var lower [maxLogWord]byte
		if kind, ok := logWords[string(lowerLetters(&lower, word))]; ok {
			return kind
		}
	}
	if tail&logSuffixTail != 0 {
		return kindOfSuffix(word)
	}
	return otherRun
}

func kindOfSuffix(word []byte) logRun {
	for _, s := range logSuffixes {
		if n := len(word) - len(s.suffix); n >= 0 && bytes.EqualFold(word[n:], []byte(s.suffix)) {
			return s.kind
		}
	}
	if len(word) == 2 && word[0]|0x20 == 'r' && word[1]|0x20 == 'c' {
		return codeRun
	}
	return otherRun
}

// isOutcome reports whether letters are a level or an outcome.
func isOutcome(word []byte) bool {
	if len(word) > maxLogWord || logTails[logTail(word)]&logOutcomeTail == 0 {
		return false
	}
	var lower [maxLogWord]byte
	return logOutcomes[string(lowerLetters(&lower, word))]
}

func lowerLetters(buffer *[maxLogWord]byte, word []byte) []byte {
	for i, c := range word {
		buffer[i] = c | 0x20
	}
	return buffer[:len(word)]
}

// isHTTP reports whether a run is a version of HTTP, such as HTTP/1.1.
func isHTTP(run []byte) bool {
	return len(run) > 5 && len(run) <= 8 && bytes.EqualFold(run[:5], []byte("http/"))
}
