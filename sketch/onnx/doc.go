// Package onnx computes unit vectors of texts with ONNX models, such as sentence transformers.
//
// ONNX Runtime is a C++ library. It runs in a child process, the program mithril-onnx: so this
// program needs no C library, and a model that crashes the runtime crashes nothing else.
// Tokenization, windows and pooling are implemented here. A text is processed alone, on one thread,
// so that its vector depends only on the text and the model. docs/reference/embedding.md says what
// is supported.
package onnx
