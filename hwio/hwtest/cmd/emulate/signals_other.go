//go:build !unix

package main

import "os"

var caught = []os.Signal{os.Interrupt}

func fromTerminal(os.Signal) bool { return true }
