package sketch

// A Normalizer makes texts comparable that differ only in ways that do not matter. Every Normalizer is idempotent and
// returns well-formed UTF-8 for any input. It may own scratch memory: one for each goroutine.
type Normalizer interface {
	// Append appends the normal form of text to dst.
	Append(dst, text []byte) []byte
}

// normalizers has a constructor for each value of Params.Normalize.
var normalizers = map[string]func() Normalizer{
	"nfkc-fold": func() Normalizer { return newNFKCFold() },
	"none":      func() Normalizer { return repair{} },
}

// NewNormalizer returns the Normalizer of that name.
func NewNormalizer(name string) (Normalizer, error) {
	if err := known("normalize", name, normalizers); err != nil {
		return nil, err
	}
	return normalizers[name](), nil
}
