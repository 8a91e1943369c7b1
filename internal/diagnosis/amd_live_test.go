package diagnosis

import (
	"testing"

	"astrolabe/capture/capturetest/amdlive"
)

func TestWhatHoldsAnAMDCardBackIsNamedFirst(t *testing.T) { checkModels(t, amdlive.Models()...) }
