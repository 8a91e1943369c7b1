package arrow

import "golang.org/x/sys/unix"

// freeBytes is how much this user may write to the disk of a folder.
func freeBytes(dir string) (n uint64, ok bool) {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil {
		return 0, false
	}
	return st.Bavail * uint64(st.Bsize), true
}
