// Package hub asks the Hub of Hugging Face for files of datasets, by its HTTP interface: which
// commit a revision is, which files there are, and their bytes. Each function makes one attempt;
// who calls it tries again, as the Error says.
//
// The interface is described at https://huggingface.co/docs/hub/api. Large files are in a store of
// their own, to which the Hub leads by an address with a signature. Neither the token of the user
// nor such an address is in any error.
package hub
