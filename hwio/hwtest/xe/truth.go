package xe

import (
	"maps"

	"astrolabe/hwio/hwtest/intel"
)

// Truth is what the model did.
type Truth struct {
	intel.Truth

	// Queries counts the questions that were answered, and Refused are the requests that were not granted.
	Queries map[string]int `json:"queries"`
	Refused []RefusalTruth `json:"refused"`
}

// RefusalTruth is a request of the observation interface that was refused.
type RefusalTruth struct {
	What  string `json:"what"`
	Errno string `json:"errno"`
}

// Truth implements hwtest.Device; it returns a *Truth.
func (d *device) Truth() any {
	d.Mu.Lock()
	defer d.Mu.Unlock()
	t := &Truth{Queries: maps.Clone(d.queries), Refused: d.refused}
	d.FillTruth(&t.Truth)
	return t
}
