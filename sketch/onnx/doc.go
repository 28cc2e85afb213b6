// Package onnx makes unit vectors of texts with ONNX models, such as sentence transformers.
//
// ONNX Runtime is a library in C++. It runs in a child, the program mithril-onnx, which loads it:
// so this program needs no C library, and a model that brings its runtime down brings down nothing
// else. Tokens, windows and pooling are made here. A text is run alone, on one thread, so that its
// vector depends on the text and the model alone. docs/reference/embedding.md says what is
// supported.
package onnx
