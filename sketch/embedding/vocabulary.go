package embedding

import "fmt"

// maxTokens is more than the number of any token may be: vectors of that many tokens would not fit.
const maxTokens = 1 << 24

// A vocabulary is the tokens of a model.
type vocabulary struct {
	ids     map[string]uint32
	longest int   // bytes of the longest token
	unknown int64 // -1 if there is none
	size    int   // more than the number of any token
}

// newVocabulary checks the numbers of tokens, and that the token for what is not known is one.
func newVocabulary(ids map[string]uint32, unknown *string) (*vocabulary, error) {
	v := &vocabulary{ids: ids, unknown: -1}
	if len(ids) == 0 {
		return nil, fmt.Errorf("its vocab is empty")
	}
	for token, id := range ids {
		if id >= maxTokens {
			return nil, fmt.Errorf("token %q has the number %d: it must be less than %d", token, id, maxTokens)
		}
		v.longest, v.size = max(v.longest, len(token)), max(v.size, int(id)+1)
	}
	if unknown != nil {
		id, ok := ids[*unknown]
		if !ok {
			return nil, fmt.Errorf("its unk_token %q is not in its vocab", *unknown)
		}
		v.unknown = int64(id)
	}
	return v, nil
}
