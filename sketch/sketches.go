package sketch

// A sketch is a family of MinHash functions with its constants. It is immutable and safe for
// concurrent use.
type sketch interface {
	// add adds shingles to a signature: each slot becomes the minimum of its value and of the
	// slot's function over the shingles. A text may be added in one or in several calls.
	add(slots []uint64, shingles *shingles)
}

// untouched is the value of every slot before the first shingle.
const untouched = ^uint64(0)

// sketches has a constructor for each value of Params.Sketch, from the number of slots and the
// seed.
var sketches = map[string]func(k int, seed uint64) sketch{
	"fss":                 newFSS,
	"affine":              newAffine,
	"datasketch":          newDatasketch,
	"datasketch-affine32": newAffine32,
	"murmur3":             newMurmur3,
}
