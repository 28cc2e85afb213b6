// Package vectors remembers vectors, and finds for each new one the earlier vector with the largest
// cosine similarity.
//
// A vector is stored as a row of one byte for each dimension. Rows near each other share a list,
// whose mean is its centroid. A search compares the query with all centroids, and with the rows of
// the nearest lists (an inverted file; Jégou, Douze, Schmid: Product quantization for nearest
// neighbor search, 2011). A full list is split in two by k-means. So there is no training, and no
// list holds more than a few hundred rows, however similar the vectors are.
//
// The result depends only on the vectors and their order. docs/reference/embedding.md gives the
// share that is found.
package vectors
