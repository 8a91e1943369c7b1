//go:build !unix

package cli

import "os"

// cellPixels is how many pixels wide a cell of a terminal is: it is not known here.
func cellPixels(*os.File) int { return 0 }
