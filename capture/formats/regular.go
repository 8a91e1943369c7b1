package formats

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ErrNotRegular is a pipe, a device or a socket where a file is expected.
var ErrNotRegular = errors.New("not a regular file")

// OpenRegular opens a file for reading, and refuses pipes, devices and sockets: opening one may wait for ever for its
// other end, and what it gives may never end. A folder is refused too.
func OpenRegular(path string) (*os.File, error) {
	st, err := os.Stat(path)
	if err == nil {
		err = regular(path, st)
	}
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|openNoWait, 0) // what was looked at may have been replaced
	if err != nil {
		return nil, err
	}
	if st, err = f.Stat(); err == nil {
		err = regular(path, st)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// ReadRegular is the content of a file that OpenRegular opens.
func ReadRegular(path string) ([]byte, error) {
	f, err := OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

func regular(path string, st fs.FileInfo) error {
	switch mode := st.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return fmt.Errorf("%s is a folder, not a file", path)
	default:
		return fmt.Errorf("%s: %w but %s: copy its content into a file first", path, ErrNotRegular, kindOfFile(mode))
	}
}

// kindOfFile names what is no file.
func kindOfFile(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "something else"
}
