package sketch

// A sketch is a family of MinHash functions with its constants. It is immutable and safe for
// concurrent use.
type sketch interface {
	// add takes shingles into a signature: each slot becomes the minimum of what it was and of the
	// slot's function over the shingles. Taking a text in one call or in several gives the same
	// slots.
	add(slots []uint64, shingles *shingles)
}

// untouched is the value of every slot before the first shingle.
const untouched = ^uint64(0)

// sketches has a constructor for each value of Params.Sketch, from the number of slots and the
// seed.
var sketches = map[string]func(k int, seed uint64) sketch{
	"fss":        newFSS,
	"affine":     newAffine,
	"datasketch": newDatasketch,
	"murmur3":    newMurmur3,
}
