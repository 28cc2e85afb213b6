// Package check opens pages of package report in a browser: go test -tags integration. It is a
// module of its own, so that the program does not depend on what drives the browser.
package check
