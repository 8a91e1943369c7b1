//go:build !unix

package programs

import "os"

const exe = ".exe"

// Elsewhere nothing is locked and nothing removed: renaming keeps what is half made from being used, and the tests that
// run programs are Linux's.
func lockShared(*os.File) error    { return nil }
func lockExclusive(*os.File) error { return nil }
func tryExclusive(*os.File) bool   { return false }
func ours(string) error            { return nil }
