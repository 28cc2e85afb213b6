// Package sketchfile reads and writes files of band keys: what remains of records once their
// texts are not needed any more.
//
// # The format, versions 1 and 2
//
// A file is a header, blocks, and an end. All numbers are unsigned and little-endian. Every
// checksum is an XXH3-64 and is seeded with the one before it (the first with 0), so that a piece
// that is lost, repeated, moved or taken from another file is noticed. testdata/format has files
// of both versions, which every later program must read.
//
// The header is lines of at most 64 KiB together, with tabs between fields:
//
//	mithril-stream sketches
//	version	1 or 2
//	parameter	<name>	<value>   any number: everything that decides about the keys
//	problem	<name>              any number, at most 255: why a record may have no keys
//	checksum	<16 hex digits>   of all bytes before this line
//
// Names of parameters and of problems are not empty and do not repeat. The first problem has the
// number 1. The parameter bands, from 1 to 65536, is the number of keys of a record. Version 2 adds
// the parameter words, from 1 to 16384: how many words of 8 bytes follow the keys of each record.
// The program stores there the signature, packed as in the log of an exact index, and the length of
// the text in bytes, and adds the parameter threshold. With a preset that says how keys are
// remembered, it adds the parameter preset.
//
// A block is:
//
//	offset  bytes  field
//	0       4      "recs"
//	4       4      length of the payload: from 8 to 1<<21, a multiple of 8
//	8       8      number of records n, at least 1
//	16      ...    n bytes, each the number of the record's problem, or 0 if it has keys; zeros up
//	               to a multiple of 8; for each record with keys its keys of 128 bits, each with
//	               its high half first, and then its words
//	...     8      checksum of all bytes of the block before
//
// The end is "done", a 16 of 4 bytes, the number of records in the file, the number of those that
// have keys, a zero, and a checksum as of a block; the numbers have 8 bytes each. The file ends
// there.
//
// A reader refuses everything else, naming the file and the offset: another first line or
// version, a wrong checksum, an unknown or misplaced line, a length out of bounds or other than
// the problems, bands and words ask for, a problem without a name, counts that are not those of
// the blocks, a file without its end, and bytes after it.
package sketchfile
