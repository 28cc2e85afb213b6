// Package hub reads files of datasets on the Hugging Face Hub through its HTTP API: the commit of a
// revision, the list of files, and their contents. Each function makes one attempt; the caller
// retries if the Error says so.
//
// The API is described at https://huggingface.co/docs/hub/api. Large files are in a separate store,
// to which the Hub redirects with a signed URL. Errors contain neither the user's token nor such a
// URL.
package hub
