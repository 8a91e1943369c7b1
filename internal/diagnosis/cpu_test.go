package diagnosis

import (
	"testing"

	"astrolabe/capture/capturetest/cpu"
)

func TestCPUBottlenecksAreNamedFirst(t *testing.T) { checkModels(t, cpu.Models()...) }
