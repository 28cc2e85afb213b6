module github.com/mithril-stream/mithril-stream/sketch/onnx/mithril-onnx

go 1.26.8

require github.com/ebitengine/purego v0.11.3
