//go:build !unix

package formats

// openNoWait is not known here.
const openNoWait = 0
