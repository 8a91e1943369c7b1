//go:build !unix

package mapping

import "os"

// shared says that a mapping shows what is written to its file.
const shared = false

// mapFile reads the file: this system's mappings would keep it from being replaced.
func mapFile(f *os.File, size int64) (data []byte, unmap func(), err error) {
	data, err = readAll(f, size)
	return data, func() {}, err
}
