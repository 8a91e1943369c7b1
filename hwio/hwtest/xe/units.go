package xe

import (
	"slices"

	"astrolabe/hwio/hwtest/intel"
)

// engines are those of a part in the order in which the driver lists them. GPUs before Meteor Lake have their media
// engines in the one GT.
func engines(p *intel.Part) []intel.Engine {
	media := uint16(intel.MainGT)
	if p.Version >= 1270 {
		media = intel.MediaGT
	}
	out := []intel.Engine{{Class: intel.Render}, {Class: intel.Copy}}
	if p.Version >= 1255 {
		out = append(out, intel.Engine{Class: intel.Compute})
	}
	out = append(out, intel.Engine{Class: intel.VideoDecode, GT: media})
	if p.Discrete {
		out = append(out, intel.Engine{Class: intel.VideoDecode, Instance: 1, GT: media})
	}
	out = append(out, intel.Engine{Class: intel.VideoEnhance, GT: media})
	if p.Discrete {
		out = append(out, intel.Engine{Class: intel.VideoEnhance, Instance: 1, GT: media})
	}
	return out
}

// unit is an OA unit as the driver lists it.
type unit struct {
	intel.Unit
	kind int // DRM_XE_OA_UNIT_TYPE_*
}

// Kinds of OA units.
const (
	unitOAG, unitOAM, unitSAG = 0, 1, 2
)

// newUnits are the units in the order in which the driver lists them: the one for render and compute; the media GT's own,
// which a newer driver tells of from Lunar Lake on; and one for each media slice. Meteor Lake's only media unit is what
// later is the GT's own.
func newUnits(p *intel.Part, all []intel.Engine, kernel7 bool) []*unit {
	of := func(gt uint16, instances ...uint16) (out []intel.Engine) {
		for _, e := range all {
			counted := e.Class == intel.Render || e.Class == intel.Compute
			if gt == intel.MediaGT {
				counted = slices.Contains(instances, e.Instance)
			}
			if e.GT == gt && counted {
				out = append(out, e)
			}
		}
		return out
	}
	out := []*unit{{kind: unitOAG, Unit: intel.Unit{Engines: of(intel.MainGT)}}}
	media := func(kind int, first uint32, engines []intel.Engine) {
		out = append(out, &unit{kind: kind, Unit: intel.Unit{GT: intel.MediaGT, Media: true, Select: first, Engines: engines}})
	}
	switch {
	case p.Version < 1270:
	case !p.Xe2():
		media(unitOAM, intel.SelectSAG, of(intel.MediaGT, 0))
	default:
		if kernel7 {
			media(unitSAG, intel.SelectSAG, nil)
		}
		media(unitOAM, intel.SelectSCMI0, of(intel.MediaGT, 0))
		if p.Discrete {
			media(unitOAM, intel.SelectSCMI1, of(intel.MediaGT, 1))
		}
	}
	for i := range out {
		out[i].ID = i
	}
	return out
}

// gts are the numbers of the GTs.
func (d *device) gts() []uint16 {
	if d.Part.Version < 1270 {
		return []uint16{intel.MainGT}
	}
	return []uint16{intel.MainGT, intel.MediaGT}
}
