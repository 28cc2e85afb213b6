package bloomlsh

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
)

// availableMemory returns how many bytes this process can use without swapping: the memory that the
// system has available or what a control group's limit leaves, whichever is less.
func availableMemory() (bytes uint64, known bool) {
	return availableIn(os.DirFS("/"))
}

func availableIn(root fs.FS) (available uint64, known bool) {
	meminfo, _ := fs.ReadFile(root, "proc/meminfo")
	if kib, ok := field(meminfo, "MemAvailable:"); ok {
		available, known = kib*1024, true
	}
	for _, group := range memoryGroups(root) {
		if left, ok := group.available(root); ok && (!known || left < available) {
			available, known = left, true
		}
	}
	return available, known
}

// A memoryGroup is a control group whose limit applies to this process, with the names of the files
// in its version of the interface.
type memoryGroup struct {
	dir, limit, usage, cache string
}

// memoryGroups lists the control groups of this process, from its own to the root, for both
// versions of the interface.
func memoryGroups(root fs.FS) (groups []memoryGroup) {
	memberships, _ := fs.ReadFile(root, "proc/self/cgroup")
	for line := range strings.Lines(string(memberships)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3) // hierarchy:controllers:path
		if len(parts) != 3 {
			continue
		}
		group := memoryGroup{"sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"}
		if parts[0] != "0" {
			if parts[1] != "memory" {
				continue
			}
			group = memoryGroup{"sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
				"total_inactive_file"}
		}
		for dir := path.Clean("/" + parts[2]); ; dir = path.Dir(dir) {
			member := group
			member.dir = path.Join(group.dir, dir)
			groups = append(groups, member)
			if dir == "/" {
				break
			}
		}
	}
	return groups
}

// available returns the group's limit less its usage. Inactive file pages count as free, since the
// kernel drops them first.
func (g memoryGroup) available(root fs.FS) (uint64, bool) {
	limit, ok := readNumber(root, path.Join(g.dir, g.limit))
	// "max", which is a number in version 1, or a group that is not visible in a container
	if !ok || limit > 1<<62 {
		return 0, false
	}
	usage, _ := readNumber(root, path.Join(g.dir, g.usage))
	stat, _ := fs.ReadFile(root, path.Join(g.dir, "memory.stat"))
	cache, _ := field(stat, g.cache)
	usage -= min(usage, cache)
	return limit - min(limit, usage), true
}

func readNumber(root fs.FS, name string) (uint64, bool) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseUint(string(bytes.TrimSpace(text)), 10, 64)
	return n, err == nil
}

// field returns the number after a name, in lines of names and numbers.
func field(text []byte, name string) (uint64, bool) {
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) >= 2 && words[0] == name {
			n, err := strconv.ParseUint(words[1], 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}
