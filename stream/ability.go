package stream

// A SketcherWrapper is a Sketcher that completes the sketches of another one. What a Sketcher can
// do besides is asked of the other one too, by Ability, unless the SketcherWrapper does it itself.
type SketcherWrapper interface {
	Sketcher
	// Unwrap returns the other sketcher.
	Unwrap() Sketcher
}

// Ability returns what a Sketcher can do beyond that, such as Confiner: itself or, if it wraps
// another one, the first one behind it that can. ok is false if none can.
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
