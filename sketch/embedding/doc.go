// Package embedding computes unit vectors of texts with static embeddings: a model has a vector for
// each token, and the vector of a text is the mean of the vectors of its tokens. So texts with the
// same meaning in different words have vectors with a large cosine.
//
// A model is a directory with model.safetensors and tokenizer.json, as written by model2vec and
// sentence-transformers' StaticEmbedding. Nothing else is needed, and nothing is ever downloaded.
// docs/reference/embedding.md says what is supported.
package embedding
