package guests

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"
)

// archive makes an initial file system in cpio's "newc" form
// (Documentation/driver-api/early-userspace/buffer-format.rst) of files by their absolute paths, every one executable,
// and of the folders above them.
func archive(files map[string][]byte) []byte {
	var out bytes.Buffer
	inode := 0
	entry := func(name string, mode uint32, data []byte) {
		inode++
		name = strings.TrimPrefix(name, "/")
		fmt.Fprintf(&out, "070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x", inode, mode, 0, 0, 1, 0,
			len(data), 0, 0, 0, 0, len(name)+1, 0)
		out.WriteString(name)
		out.WriteByte(0)
		pad(&out)
		out.Write(data)
		pad(&out)
	}
	var dirs, names []string
	for name := range files {
		names = append(names, name)
		for dir := path.Dir(name); dir != "/" && dir != "."; dir = path.Dir(dir) {
			dirs = append(dirs, dir)
		}
	}
	dirs = append(dirs, "/proc", "/sys", "/dev", "/tmp")
	slices.Sort(dirs)
	slices.Sort(names)
	for _, dir := range slices.Compact(dirs) {
		entry(dir, 0o040755, nil)
	}
	for _, name := range names {
		entry(name, 0o100755, files[name])
	}
	entry("TRAILER!!!", 0, nil)
	return out.Bytes()
}

func pad(out *bytes.Buffer) {
	for out.Len()%4 != 0 {
		out.WriteByte(0)
	}
}
