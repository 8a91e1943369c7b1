package script

import (
	"bytes"
	"math"
	"os"
	"strconv"
	"strings"
)

// usedMemory is the resident size of this program in bytes without pages of mapped files, which the system takes back when it
// needs them (/proc/PID/statm: resident minus shared); 0 if it is not known.
func usedMemory() uint64 {
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return goMemory()
	}
	fields := bytes.Fields(data)
	if len(fields) < 3 {
		return goMemory()
	}
	resident, err1 := strconv.ParseUint(string(fields[1]), 10, 64)
	shared, err2 := strconv.ParseUint(string(fields[2]), 10, 64)
	if err1 != nil || err2 != nil || shared > resident {
		return goMemory()
	}
	return (resident - shared) * uint64(os.Getpagesize())
}

// availableMemory is what this program has and can still get, in bytes: MemAvailable of /proc/meminfo, or less where a control
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
				available = kib<<10 + usedMemory()
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
