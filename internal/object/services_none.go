//go:build nocloud

package object

import (
	"errors"
	"net/http"

	"github.com/mithril-stream/mithril-stream/internal/object/store"
)

// errNoCloud is returned for buckets by a program built without cloud libraries.
var errNoCloud = errors.New("this program was built without buckets (-tags nocloud): copy the files, or build it " +
	"without that tag")

func openS3(http.RoundTripper, Options, func(string) string) (store.Service, error) {
	return nil, errNoCloud
}

func openGCS(http.RoundTripper, Options, func(string) string) (store.Service, error) {
	return nil, errNoCloud
}

func openAzure(http.RoundTripper, Options, func(string) string) (store.Service, error) {
	return nil, errNoCloud
}
