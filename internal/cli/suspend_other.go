//go:build !unix

package cli

// suspend is nil: shells of this system stop no program.
var suspend func()
