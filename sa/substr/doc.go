// Package substr finds passages that texts repeat verbatim, and removes them.
//
// It finds the same spans as a suffix array (package sa; tests compare the two), in less time and
// within a memory limit: with little memory it makes more passes. Sampling first rules out most
// text that occurs once (candidates.go), then a table of first occurrences decides (repeated.go).
// Texts can also be compared with a stored corpus (against.go, corpus.go, store.go) instead of
// with each other.
//
// Records are read twice. In the first reading each text is added; a text is one field of one
// record:
//
//	f, err := substr.NewFinder(substr.Options{MinLength: 100, Unit: substr.Bytes})
//	defer f.Close()
//	for each record, for each field {
//		text, err = substr.Unquote(text[:0], literal) // the raw JSON string of the field
//		err = f.Add(text) // empty where the field is missing, to keep numbers in step
//	}
//	err = f.Find(ctx)
//
// In the second reading the literals are edited in place, so that every other byte of a record
// stays as it is:
//
//	spans, err = f.AppendSpans(spans[:0], textNumber)
//	edited, err = substr.EditLiteral(edited[:0], literal, spans, mask)
//
// Finder and Corpus are not safe for concurrent use; a Finder runs as many goroutines as
// Options.Threads says.
package substr
