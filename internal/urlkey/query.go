package urlkey

import (
	"bytes"
	"slices"
	"strings"
)

// A parameter is one of a query: where it is in Writer.query, and where its name ends.
type parameter struct{ start, nameEnd, end int }

// appendQuery appends a query whose parameters are in the order of their names, without those that
// say where a reader came from, and those that the form leaves out. Those with the same name keep
// their order.
func (w *Writer) appendQuery(dst, query []byte) []byte {
	w.query, w.parameters = w.query[:0], w.parameters[:0]
	for len(query) > 0 {
		var one []byte
		one, query, _ = bytes.Cut(query, []byte{'&'})
		start := len(w.query)
		w.query = appendEscapes(w.query, one, true)
		name, _, _ := bytes.Cut(w.query[start:], []byte{'='})
		if len(w.query) == start || isTracking(name) || w.left.has(name) {
			w.query = w.query[:start]
			continue
		}
		w.parameters = append(w.parameters, parameter{start, start + len(name), len(w.query)})
	}
	byName := func(a, b parameter) int {
		return bytes.Compare(w.query[a.start:a.nameEnd], w.query[b.start:b.nameEnd])
	}
	if !slices.IsSortedFunc(w.parameters, byName) {
		slices.SortStableFunc(w.parameters, byName)
	}
	separator := byte('?')
	for _, p := range w.parameters {
		dst = append(append(dst, separator), w.query[p.start:p.end]...)
		separator = '&'
	}
	return dst
}

// tracking are the parameters that say which advertisement, letter or session a reader came from,
// and not what is on the page, in lower case. The table in docs/reference/urls.md has the same.
var tracking = strings.Fields(`
	_ga _gac _gl dclid gbraid gclid gclsrc srsltid wbraid
	epik fbclid igsh igshid li_fat_id msclkid rdt_cid sccid ttclid twclid yclid ysclid
	_hsenc _hsmi hsctatracking mc_cid mc_eid mkt_tok oly_anon_id oly_enc_id vero_conv vero_id
	_openstat rb_clickid s_cid wickedid
	cfid cftoken jsessionid phpsessid`)

// trackingPrefixes are what the names of further ones begin with.
var trackingPrefixes = strings.Fields("__hs aspsessionid hsa_ itm_ matomo_ mtm_ piwik_ pk_ utm_")

var isTrackingName = func() map[string]bool {
	of := make(map[string]bool, len(tracking))
	for _, name := range tracking {
		of[name] = true
	}
	return of
}()

// beginsTracking says with which bytes any of them begins, with the bit of lower case set.
var beginsTracking = func() (of [256]bool) {
	for _, name := range append(slices.Clone(tracking), trackingPrefixes...) {
		of[name[0]|0x20] = true
	}
	return of
}()

// isTracking reports whether a parameter of that name is left out.
func isTracking(name []byte) bool {
	if len(name) == 0 || !beginsTracking[name[0]|0x20] {
		return false
	}
	var room [24]byte
	lower := appendLower(room[:0], name[:min(len(name), len(room))])
	for _, prefix := range trackingPrefixes {
		if string(lower[:min(len(prefix), len(lower))]) == prefix {
			return true
		}
	}
	return len(name) <= len(room) && isTrackingName[string(lower)]
}

// withoutSession returns a segment of a path without parameters ;jsessionid=.
func withoutSession(segment []byte) []byte {
	const name = ";jsessionid="
	for at := bytes.IndexByte(segment, ';'); at >= 0 && at+len(name) <= len(segment); {
		if !bytes.EqualFold(segment[at:at+len(name)], []byte(name)) {
			at++
			continue
		}
		end := len(segment)
		if next := bytes.IndexByte(segment[at+1:], ';'); next >= 0 {
			end = at + 1 + next
		}
		segment = append(segment[:at:at], segment[end:]...)
	}
	return segment
}
