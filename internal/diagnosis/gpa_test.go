package diagnosis

import (
	"testing"

	"astrolabe/capture/capturetest/gpa"
)

func TestTheGPATriageNamesWhatIsPlanted(t *testing.T) { checkModels(t, gpa.Models()...) }
