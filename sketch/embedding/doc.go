// Package embedding makes unit vectors of texts with static embeddings: a model has a vector for
// each token, and the vector of a text is the mean of the vectors of its tokens. So texts that say
// the same in other words have vectors of a large cosine.
//
// A model is a directory with model.safetensors and tokenizer.json, as model2vec and
// sentence-transformers' StaticEmbedding write it. Nothing else is needed to use it, and nothing is
// ever loaded from elsewhere. docs/reference/embedding.md says what is supported.
package embedding
