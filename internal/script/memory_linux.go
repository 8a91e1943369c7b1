package script

import (
	"math"
	"os"
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

// availableMemory is what this program can still get, in bytes: MemAvailable of /proc/meminfo, or less where a control
// group allows less.
func availableMemory() uint64 {
	available := uint64(fallbackMemory)
	if data, err := os.ReadFile("/proc/meminfo"); err == nil {
		for line := range strings.Lines(string(data)) {
			rest, ok := strings.CutPrefix(line, "MemAvailable:")
			if !ok {
				continue
			}
			if kib, err := strconv.ParseUint(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64); err == nil {
				available = kib << 10
			}
		}
	}
	return min(available, groupMemory())
}

// groupMemory is the least memory limit of the control groups above this program, MaxUint64 where there is none. Inside a
// container the group's own folder stands at the root.
func groupMemory() uint64 {
	least := uint64(math.MaxUint64)
	try := func(file string) {
		if data, err := os.ReadFile(file); err == nil {
			if n, err := strconv.ParseUint(strings.TrimSpace(string(data)), 10, 64); err == nil && n > 0 {
				least = min(least, n)
			}
		}
	}
	try("/sys/fs/cgroup/memory.max")
	try("/sys/fs/cgroup/memory/memory.limit_in_bytes")
	data, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return least
	}
	for line := range strings.Lines(string(data)) {
		group, ok := strings.CutPrefix(strings.TrimSpace(line), "0::")
		for ok && group != "/" && group != "" && group != "." {
			try("/sys/fs/cgroup" + group + "/memory.max")
			group = group[:max(strings.LastIndexByte(group, '/'), 0)]
		}
	}
	return least
}
