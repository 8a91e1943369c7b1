// Package all lists the models.
package all

import (
	"slices"

	"astrolabe/capture/capturetest"
	"astrolabe/capture/capturetest/amdlive"
	"astrolabe/capture/capturetest/cdna"
	"astrolabe/capture/capturetest/cpu"
	"astrolabe/capture/capturetest/gfx1151"
	"astrolabe/capture/capturetest/gpa"
	"astrolabe/capture/capturetest/intel"
	"astrolabe/capture/capturetest/mali"
)

// Models returns every model, those of one script beside each other.
func Models() []capturetest.Model {
	return slices.Concat(amdlive.Models(), cdna.Models(), cpu.Models(), gfx1151.Models(), gpa.Models(), intel.Models(),
		mali.Models())
}
