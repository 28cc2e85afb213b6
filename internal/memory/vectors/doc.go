// Package vectors remembers vectors, and finds for each new one the earlier one with the largest
// cosine.
//
// A vector is kept as a row: a byte for each dimension. Rows that are near each other are in one
// list, beside their mean, the centroid. A search compares with all centroids, and with the rows of
// the nearest lists (an inverted file; Jégou, Douze, Schmid: Product quantization for nearest
// neighbor search, 2011). A list that is full is divided in two by k-means, so that there is no
// training, and no list ever holds more than a few hundred rows, however alike the vectors are.
//
// What is found depends on the vectors and their order alone. docs/reference/embedding.md says how
// much is found.
package vectors
