package report

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
)

//go:embed page/page.css
var pageStyle string

//go:embed page/plots.js
var plotsScript string

//go:embed uplot/uPlot.iife.min.js
var plotScript string

//go:embed uplot/uPlot.min.css
var plotStyle string

// A Document is a self-contained HTML page. All pages of a kind have the same script and style, so
// that the policy can list their hashes; they must not contain anything from records.
type Document struct {
	Title  string
	Body   *template.Template // from <body> on; the end tag is added
	Data   any                // for the body
	Style  string             // in addition to that of all pages
	Script string             // calls plots.show, see page/plots.js
}

// Write writes the page.
func (d Document) Write(w io.Writer) error {
	style := plotStyle + "\n" + pageStyle + d.Style
	script := plotScript + "\n" + plotsScript + d.Script
	policy := fmt.Sprintf("default-src 'none'; script-src '%s'; style-src '%s'; base-uri 'none'; form-action 'none'",
		hashOf(script), hashOf(style))
	_, err := fmt.Fprintf(w, `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="%s">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>%s</title>
<style>%s</style>
</head>
`, policy, template.HTMLEscapeString(d.Title), style)
	if err != nil {
		return err
	}
	if err := d.Body.Execute(w, d.Data); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "<script>%s</script>\n</body>\n</html>\n", script)
	return err
}

// hashOf returns the hash of a script or style sheet for the policy.
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
