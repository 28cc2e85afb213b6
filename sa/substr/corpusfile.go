package substr

// The file DIR/corpus consists of pages of 4096 bytes. Numbers are unsigned, of 64 bits, and
// little-endian. Each section begins with a page and is filled up with zeros. The size of the file
// follows from the header, and no number is used before it is checked against that size.
//
//	header     one page: the 8 bytes "mithsub\n"; version (1); unit (0 bytes, 1 chars, 2 words);
//	           minimum length n; number of texts; bytes of text; number of samples; number of
//	           windows; zeros; in the last 8 bytes the checksum of those before
//	texts      the texts, one after the other
//	ends       for each text where it ends
//	samples    key and position of each sample, ascending
//	windows    key and position of windows, ascending
//	checksums  for each page of the sections above its checksum, in order; 511 in a page, and in
//	           its last 8 bytes the checksum of those before
//
// A checksum is XXH3-64 with the seed 0.
//
// A sample has n-floor(n/2)+1 units and begins at every floor(n/2)-th unit of a text, so that each
// window of n units holds exactly one sample. A sample is left out if all of its windows are
// repeated within the corpus, since such a passage is found where it occurs first. Where more than
// 16 samples have the same key only the key is stored, with the position 2^64-1, and those windows
// around them that are not repeated are in the section of windows.
//
// The key of the bytes c_0 ... c_m is fold(sum of L[c_i]*B^i mod 2^64), with B = 0x9e3779b97f4a7c15
// and L[0] ... L[255] the first values of SplitMix64 from the state 0. fold(x) is the exclusive or
// of both halves of the 128-bit product (x ^ 0xd1b54a32d192ed03) * 0xaef17502108ef2d9.
