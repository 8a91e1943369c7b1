//go:build !linux

package cli

// askTerminal is not there: the environment says what is known of the terminal.
var askTerminal func() (answer []byte, asked bool)
