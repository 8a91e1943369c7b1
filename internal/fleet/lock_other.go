//go:build !unix

package fleet

import "os"

// lock does nothing here: that two programs write one journal has to be seen to by who starts them.
func lock(*os.File) error { return nil }
