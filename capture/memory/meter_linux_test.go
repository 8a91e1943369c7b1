package memory

import (
	"testing"
	"testing/fstest"
)

func TestTheLeastOfMachineAndEveryGroupCounts(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	info := file("MemTotal:       16777216 kB\nMemFree: 1 kB\nMemAvailable: 2 kB\n")
	for _, c := range []struct {
		name string
		fs   fstest.MapFS
		want uint64
	}{
		{"nothing is known", fstest.MapFS{}, fallbackMemory},
		{"the machine", fstest.MapFS{"proc/meminfo": info}, 16 << 30},
		{"v2, of its own group", fstest.MapFS{"proc/meminfo": info, "proc/self/cgroup": file("0::/a/b\n"),
			"sys/fs/cgroup/a/b/memory.max": file("1073741824\n"), "sys/fs/cgroup/a/memory.max": file("max\n")},
			1 << 30},
		{"v2, of a parent", fstest.MapFS{"proc/meminfo": info, "proc/self/cgroup": file("0::/a/b\n"),
			"sys/fs/cgroup/a/b/memory.max": file("max\n"), "sys/fs/cgroup/a/memory.max": file("2147483648\n")},
			2 << 30},
		{"v2, at the root of a container", fstest.MapFS{"proc/meminfo": info, "proc/self/cgroup": file("0::/\n"),
			"sys/fs/cgroup/memory.max": file("536870912\n")}, 512 << 20},
		{"v1, of a parent", fstest.MapFS{"proc/meminfo": info,
			"proc/self/cgroup": file("3:cpu,cpuacct:/x\n2:memory:/a/b\n"),
			"sys/fs/cgroup/memory/a/b/memory.limit_in_bytes": file("9223372036854771712\n"),
			"sys/fs/cgroup/memory/a/memory.limit_in_bytes":   file("3221225472\n")}, 3 << 30},
		{"v1 in a container that sees the names of the host",
			fstest.MapFS{"proc/meminfo": info, "proc/self/cgroup": file("2:memory:/docker/0123\n"),
				"sys/fs/cgroup/memory/memory.limit_in_bytes": file("4294967296\n")}, 4 << 30},
		{"a mixture, v2 below unified",
			fstest.MapFS{"proc/meminfo": info, "proc/self/cgroup": file("2:memory:/\n0::/u\n"),
				"sys/fs/cgroup/unified/u/memory.max":         file("5368709120\n"),
				"sys/fs/cgroup/memory/memory.limit_in_bytes": file("9223372036854771712\n")}, 5 << 30},
	} {
		if got := machineMemoryIn(c.fs); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, Text(got), Text(c.want))
		}
	}
}
