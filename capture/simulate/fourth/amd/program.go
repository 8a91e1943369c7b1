package amd

import "astrolabe/capture/simulate"

func newProgram(c *simulate.Case) {}
