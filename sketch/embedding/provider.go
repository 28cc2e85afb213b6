package embedding

// A Provider computes vectors of texts: a static Model, a model of package onnx, or your own, such
// as a remote service. Functions that need vectors accept any: vectors.NewSketching,
// signature.NewEmbedding.
type Provider interface {
	// Dims returns the number of values of each vector.
	Dims() int
	// Hash identifies what computes the vectors. Vectors with different hashes are never compared.
	Hash() string
	// Vectors returns what one goroutine makes vectors with.
	Vectors() AppendVector
}

// An AppendVector appends the vector of a text to dst. The error is ErrNoTokens or ErrZero for a
// text without a vector, which resembles nothing. Any other error is final.
type AppendVector func(dst []float32, text []byte) ([]float32, error)
