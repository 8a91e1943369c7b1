//go:build unix

package cli

import (
	"os"

	"golang.org/x/sys/unix"
)

// cellPixels is how many pixels wide a cell of a terminal is; 0 where the terminal does not say.
func cellPixels(f *os.File) int {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil || size.Col == 0 {
		return 0
	}
	return int(size.Xpixel) / int(size.Col)
}
