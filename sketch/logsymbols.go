package sketch

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// gap appends what stands between runs, if there are newlines or bytes beyond ASCII in it.
func (v *logVariables) gap(dst, gap []byte) []byte {
	for i := 0; i < len(gap); {
		c := gap[i]
		switch {
		case c == '\n':
			v.begin()
		case c >= 0x80:
			v.foreign = true
			if n := pictographLen(gap[i:]); n > 0 {
				dst = v.pictograph(dst, gap[i:i+n])
				i += n
				continue
			}
		}
		dst = append(dst, c)
		i++
	}
	return dst
}

// pictographLen is the length of the pictograph or arrow that a text begins with, or 0. Marks such
// as ✓, ❌ and ⚠, and the faces and lights of emoji are among them, but not what progress is drawn
// with, such as ■ and ⠋.
func pictographLen(text []byte) int {
	switch {
	case text[0] != 0xe2 && text[0] != 0xf0:
		return 0
	case len(text) >= 3 && text[0] == 0xe2 && (text[1] >= 0x98 && text[1] <= 0x9e ||
		text[1] >= 0x86 && text[1] <= 0x87): // from U+2600 to U+27BF, and from U+2180 to U+21FF
		return 3
	case len(text) >= 4 && text[0] == 0xf0 && text[1] == 0x9f && text[2] >= 0x8c: // from U+1F300
		return 4
	}
	return 0
}

// pictograph appends a word for a pictograph, since tokenizers take no account of signs. It spells
// the code point in letters.
func (v *logVariables) pictograph(dst, sign []byte) []byte {
	r, _ := utf8.DecodeRune(sign)
	dst = append(dst, " sign"...)
	for shift := 16; shift >= 0; shift -= 4 {
		dst = append(dst, 'a'+byte(r>>shift&15))
	}
	v.last, v.dates = otherRun, v.dates[:0]
	return append(dst, ' ')
}

// foreignStatuses are the ends of words after which a number is a status, in languages whose
// letters are not ASCII, and foreignLinks what may stand between the two.
var (
	foreignStatuses = byteWords("код|кодом|статус|статусом|возврата|код ответа|код ошибки|код завершения|код выхода|" +
		"状态码|状态|返回码|退出码|错误码|响应码|代码|返回值|狀態碼|狀態|代碼|ステータス|コード|상태|코드|código de saída")
	foreignLinks = byteWords("为|是|為|は|는|가")
)

func byteWords(list string) [][]byte { return bytes.Split([]byte(list), []byte("|")) }

// endsInForeignStatus reports whether a text ends in such a word, apart from signs and spaces.
func endsInForeignStatus(text []byte) bool {
	end := len(text)
	for end > 0 && text[end-1] < utf8.RuneSelf && text[end-1] != '\n' && !isAlphanumeric(text[end-1]) {
		end--
	}
	if end == 0 || text[end-1] < utf8.RuneSelf && text[end-1] != 'a' { // as in saída
		return false
	}
	text = text[:end]
	for _, link := range foreignLinks {
		if bytes.HasSuffix(text, link) {
			text = text[:len(text)-len(link)]
			break
		}
	}
	return slices.ContainsFunc(foreignStatuses, func(word []byte) bool { return bytes.HasSuffix(text, word) })
}
