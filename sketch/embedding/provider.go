package embedding

// A Provider makes vectors of texts: a static Model, one of package onnx, or one of your own, such
// as a service that you ask. What takes vectors takes any: vectors.NewSketching,
// signature.NewEmbedding.
type Provider interface {
	// Dims is how many values each vector has.
	Dims() int
	// Hash names what makes the vectors: those of another name are never compared with them.
	Hash() string
	// Vectors returns what makes vectors, for one goroutine.
	Vectors() Vectors
}

// Vectors appends the vector of a text to dst. The error is ErrNoTokens or ErrZero for a text that
// has none, which then resembles nothing. Any other one is final.
type Vectors interface {
	Append(dst []float32, text []byte) ([]float32, error)
}
