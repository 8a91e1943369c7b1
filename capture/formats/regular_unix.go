//go:build unix

package formats

import "syscall"

// openNoWait makes opening a pipe return at once.
const openNoWait = syscall.O_NONBLOCK
