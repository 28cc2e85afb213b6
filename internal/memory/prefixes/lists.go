package prefixes

// Lists of a few entries are in tables, where they take little memory. The rest of longer ones is
// here, in blocks that double.

// A longList is the rest of the list of a key. The zero longList is a free slot.
type longList struct {
	key   uint32 // plus one
	block uint32 // where it begins in lists.blocks
	count uint16
	class uint8 // the block has leastBlock << class entries
}

const (
	leastBlock = 4
	mostBlock  = 10 // class of the largest blocks
	mostLong   = leastBlock << mostBlock
	leastSlots = 16
)

// lists map keys to their lists: a hash table with linear probing, at most three quarters full.
type lists struct {
	slots  []longList
	used   int
	blocks []uint32
	free   [mostBlock + 1][]uint32 // blocks of each class that can be used again
}

// find returns the slot of a key, or the free one where it belongs.
func (l *lists) find(key uint32) *longList {
	mask := uint64(len(l.slots) - 1)
	for at := mixed(uint64(key)) & mask; ; at = (at + 1) & mask {
		if s := &l.slots[at]; s.key == key+1 || s.key == 0 {
			return s
		}
	}
}

// of returns the entries of a key, until the next change.
func (l *lists) of(key uint32) []uint32 {
	if l.used == 0 {
		return nil
	}
	s := l.find(key)
	return l.blocks[s.block:][:s.count]
}

// insert adds an entry to the list of a key. If the list is full, the earliest entry of its later
// half leaves it, and cut is true.
func (l *lists) insert(key, entry uint32) (cut bool) {
	if 4*l.used >= 3*len(l.slots) {
		l.grow()
	}
	s := l.find(key)
	if s.key == 0 {
		l.used++
		s.key, s.block = key+1, l.allocate(0)
	}
	list := l.blocks[s.block:][:leastBlock<<s.class]
	switch {
	case int(s.count) < len(list):
	case s.class == mostBlock:
		copy(list[mostLong/2:], list[mostLong/2+1:])
		list[mostLong-1] = entry
		return true
	default:
		block := l.allocate(s.class + 1)
		list = l.blocks[block:][:leastBlock<<(s.class+1)]
		copy(list, l.blocks[s.block:][:s.count])
		l.free[s.class] = append(l.free[s.class], s.block)
		s.block, s.class = block, s.class+1
	}
	list[s.count] = entry
	s.count++
	return false
}

// allocate returns the place of a block of a class.
func (l *lists) allocate(class uint8) (block uint32) {
	if free := l.free[class]; len(free) > 0 {
		l.free[class] = free[:len(free)-1]
		return free[len(free)-1]
	}
	block = uint32(len(l.blocks))
	l.blocks = append(l.blocks, make([]uint32, leastBlock<<class)...)
	return block
}

func (l *lists) grow() {
	old := l.slots
	l.slots = make([]longList, max(leastSlots, 2*len(old)))
	for _, s := range old {
		if s.key != 0 {
			*l.find(s.key - 1) = s
		}
	}
}

func (l *lists) bytes() (bytes uint64) {
	bytes = 12*uint64(cap(l.slots)) + 4*uint64(cap(l.blocks))
	for _, free := range l.free {
		bytes += 4 * uint64(cap(free))
	}
	return bytes
}
