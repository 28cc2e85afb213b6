package prefixes

// The first few entries of each list are in tables, where they take little memory. The rest of
// longer lists is here, in blocks of doubling size, with the tags of the sets.

// A longList is the rest of the list of a key. The zero longList is a free slot.
type longList struct {
	key   uint32 // plus one
	block uint32 // offset in lists.blocks
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
	tags   []tag                   // of the entries in blocks
	free   [mostBlock + 1][]uint32 // unused blocks of each class
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

// append appends the entries of a key that limits admit, and returns the total number of its
// entries.
func (l *lists) append(dst []uint32, key uint32, admitted limits) (found []uint32, all int) {
	if l.used == 0 {
		return dst, 0
	}
	s := l.find(key)
	list, tags := l.of(s)
	return admitted.appendAdmitted(dst, list, tags), len(list)
}

// insert adds an entry to the list of a key. If the list is full, insert drops the earliest entry
// of its later half, and cut is true.
func (l *lists) insert(key, entry uint32, t tag) (length int, cut bool) {
	if 4*l.used >= 3*len(l.slots) {
		l.grow()
	}
	s := l.find(key)
	if s.key == 0 {
		l.used++
		s.key, s.block = key+1, l.allocate(0)
	}
	switch {
	case s.count < leastBlock<<s.class:
	case s.class == mostBlock:
		list, tags := l.of(s)
		copy(list[mostLong/2:], list[mostLong/2+1:])
		copy(tags[mostLong/2:], tags[mostLong/2+1:])
		s.count--
		cut = true
	default:
		list, tags := l.of(s)
		freed := s.block
		s.block = l.allocate(s.class + 1)
		copy(l.blocks[s.block:], list)
		copy(l.tags[s.block:], tags)
		l.free[s.class] = append(l.free[s.class], freed)
		s.class++
	}
	l.blocks[s.block+uint32(s.count)], l.tags[s.block+uint32(s.count)] = entry, t
	s.count++
	return int(s.count), cut
}

// clear empties the list of a key.
func (l *lists) clear(key uint32) {
	if l.used == 0 {
		return
	}
	if s := l.find(key); s.key != 0 {
		l.free[s.class] = append(l.free[s.class], s.block)
		s.block, s.count, s.class = l.allocate(0), 0, 0
	}
}

// of returns the entries of a list and their tags.
func (l *lists) of(s *longList) ([]uint32, []tag) {
	return l.blocks[s.block:][:s.count], l.tags[s.block:][:s.count]
}

// allocate returns the offset of an unused block of a class.
func (l *lists) allocate(class uint8) (block uint32) {
	if free := l.free[class]; len(free) > 0 {
		l.free[class] = free[:len(free)-1]
		return free[len(free)-1]
	}
	block = uint32(len(l.blocks))
	l.blocks = append(l.blocks, make([]uint32, leastBlock<<class)...)
	l.tags = append(l.tags, make([]tag, leastBlock<<class)...)
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
	bytes = 12*uint64(cap(l.slots)) + 4*uint64(cap(l.blocks)) + 2*uint64(cap(l.tags))
	for _, free := range l.free {
		bytes += 4 * uint64(cap(free))
	}
	return bytes
}
