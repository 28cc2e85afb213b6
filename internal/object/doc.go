// Package object reads, and writes, what is not on this machine: objects of buckets of all kinds in
// its table, as s3://bucket/key. It only reads files of web servers (https://host/path) and of
// datasets of the Hub of Hugging Face (hf://datasets/owner/name/path).
//
// An object is read in parts, several at once, which are handed on in order. A part that breaks off
// is gone on with from the byte where it did. Each part must be of the same version of the object:
// one that changes while it is read is an error, and never half of one and half of the other.
//
// A small object of a bucket can be replaced under the condition that it is a certain version, so
// that several programs can agree on what it says.
package object
