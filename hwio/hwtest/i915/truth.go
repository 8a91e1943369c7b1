package i915

import "astrolabe/hwio/hwtest/intel"

// Truth is what the model did.
type Truth struct {
	intel.Truth
	Revision int `json:"perf_revision"`

	// PMU is what was read of the driver's counter unit.
	PMU []PMUTruth `json:"pmu,omitempty"`
}

// Truth implements hwtest.Device; it returns a *Truth.
func (d *device) Truth() any {
	d.Mu.Lock()
	defer d.Mu.Unlock()
	t := &Truth{Revision: d.revision, PMU: d.pmu.truth()}
	d.FillTruth(&t.Truth)
	return t
}
