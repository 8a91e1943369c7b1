package diagnosis

import (
	"testing"

	"astrolabe/capture/capturetest/mali"
)

func TestMaliBottlenecksAreNamedFirst(t *testing.T) { checkModels(t, mali.Models()...) }
