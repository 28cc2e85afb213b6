package stream

// A SketcherWrapper is a Sketcher that adds to the sketches of another one. Ability finds the
// optional interfaces of the wrapped Sketcher, too.
type SketcherWrapper interface {
	Sketcher
	// Unwrap returns the wrapped sketcher.
	Unwrap() Sketcher
}

// Ability returns the optional interface T, such as Confiner, of a Sketcher or of the first one
// that it wraps which implements it. ok is false if none does.
func Ability[T any](of Sketcher) (able T, ok bool) {
	for {
		if able, ok = of.(T); ok {
			return able, true
		}
		w, wraps := of.(SketcherWrapper)
		if !wraps {
			return able, false
		}
		of = w.Unwrap()
	}
}
