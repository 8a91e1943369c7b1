package diagnosis

import (
	"testing"

	"astrolabe/capture/capturetest/intel"
)

func TestIntelBottlenecksAreNamedFirst(t *testing.T) { checkModels(t, intel.Models()...) }
