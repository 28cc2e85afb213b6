// Package object reads and writes objects on other machines: in buckets of several kinds, such as
// s3://bucket/key. It also reads, but does not write, files on web servers (https://host/path) and
// in datasets of the Hugging Face Hub (hf://datasets/owner/name/path).
//
// An object is read in parts, several in parallel, which are returned in order. A part that breaks
// off is resumed at that byte. All parts must be of the same version: an object that changes while
// it is read is an error, never a mixture.
//
// A small object in a bucket can be replaced on the condition that it is still a certain version,
// so that several programs can agree on its contents.
package object
