package memory

import (
	"io/fs"
	"math"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// systemMeter reads /proc/self/statm.
type systemMeter struct {
	statm *os.File // nil where there is none
	buf   *[256]byte
	page  uint64 // bytes
}

func newSystemMeter() systemMeter {
	m := systemMeter{buf: new([256]byte), page: uint64(os.Getpagesize())}
	if f, err := os.Open("/proc/self/statm"); err == nil {
		m.statm = f
	}
	return m
}

// resident is the resident size less the shared pages, in bytes (proc_pid_statm(5): size resident shared …, in pages).
func (m *systemMeter) resident() (n uint64, ok bool) {
	if m.statm == nil {
		return 0, false
	}
	size, _ := m.statm.ReadAt(m.buf[:], 0) // the end of the file is no error here
	var fields [3]uint64
	at := 0
	for _, c := range m.buf[:size] {
		switch {
		case c >= '0' && c <= '9':
			fields[at] = fields[at]*10 + uint64(c-'0')
		default:
			if at++; at < len(fields) {
				continue
			}
			if fields[2] > fields[1] {
				return 0, false
			}
			return (fields[1] - fields[2]) * m.page, true
		}
	}
	return 0, false
}

func (m *systemMeter) close() {
	if m.statm != nil {
		m.statm.Close()
	}
}

// machineMemory is what the machine has (MemTotal of /proc/meminfo), or less where a control group allows less, in
// bytes.
func machineMemory() uint64 {
	return machineMemoryIn(os.DirFS("/"))
}

func machineMemoryIn(root fs.FS) uint64 {
	total := uint64(fallbackMemory)
	if data, err := fs.ReadFile(root, "proc/meminfo"); err == nil {
		for line := range strings.Lines(string(data)) {
			rest, ok := strings.CutPrefix(line, "MemTotal:")
			if !ok {
				continue
			}
			if kib, err := strconv.ParseUint(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10,
				64); err == nil {
				total = kib << 10
			}
		}
	}
	return min(total, groupMemory(root))
}

// groupMemory is the least memory limit of this program's control groups and of every group above them, MaxUint64 where
// there is none. Version 2 has one tree and version 1 one per controller (cgroups(7)); inside a container the group's
// own folder stands at the root.
func groupMemory(root fs.FS) uint64 {
	least := uint64(math.MaxUint64)
	limit := func(file string) {
		if data, err := fs.ReadFile(root, file); err == nil {
			if n, err := strconv.ParseUint(strings.TrimSpace(string(data)), 10, 64); err == nil && n > 0 {
				least = min(least, n) // a text, "max", and nearly 2^63 both are no limit
			}
		}
	}
	// walk looks at a group and at those above it, below the folder where the tree is mounted.
	walk := func(mount, group, file string) {
		for {
			limit(path.Join(mount, group, file))
			if group == "" || group == "." || group == "/" {
				return
			}
			group = path.Dir(group)
		}
	}
	data, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		data = []byte("0::/\n0:memory:/\n")
	}
	for line := range strings.Lines(string(data)) {
		_, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		controllers, group, ok := strings.Cut(rest, ":")
		switch {
		case !ok || strings.Contains(group, ".."): // of a group outside this namespace nothing can be read
		case controllers == "":
			walk("sys/fs/cgroup", group, "memory.max")
			walk("sys/fs/cgroup/unified", group, "memory.max")
		case slices.Contains(strings.Split(controllers, ","), "memory"):
			walk("sys/fs/cgroup/memory", group, "memory.limit_in_bytes")
		}
	}
	limit("sys/fs/cgroup/memory.max")
	limit("sys/fs/cgroup/memory/memory.limit_in_bytes")
	return least
}
