// The frame of a scattering kernel holds the slots of some hashes, in upper halves, and, from 2048
// on, their values. If they were read as soon as they are written, each read would wait until the
// write has reached the cache.

// Lowers the slot of the hash that is at off from DX in the frame.
#define LOWER(off) \
	MOVL    (off+4)(SP)(DX*8), R9     \
	MOVQ    (off+2048)(SP)(DX*8), R10 \
	MOVQ    (DI)(R9*8), R11           \
	CMPQ    R11, R10                  \
	CMOVQCS R11, R10                  \
	MOVQ    R10, (DI)(R9*8)
