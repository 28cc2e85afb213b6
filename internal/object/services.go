//go:build !nocloud

package object

import (
	"net/http"

	"github.com/mithril-stream/mithril-stream/internal/object/azure"
	"github.com/mithril-stream/mithril-stream/internal/object/gcs"
	"github.com/mithril-stream/mithril-stream/internal/object/s3"
	"github.com/mithril-stream/mithril-stream/internal/object/store"
)

func openS3(transport http.RoundTripper, o Options, tell func(address string) string) (store.Service, error) {
	return s3.New(transport, s3.Options{Endpoint: o.Endpoint, Region: o.Region}, tell)
}

func openGCS(transport http.RoundTripper, _ Options, tell func(address string) string) (store.Service, error) {
	return gcs.New(transport, tell)
}

func openAzure(transport http.RoundTripper, _ Options, _ func(address string) string) (store.Service, error) {
	return azure.New(transport)
}
