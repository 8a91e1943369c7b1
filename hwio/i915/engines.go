package i915

import (
	"encoding/binary"
	"errors"
	"fmt"
	"syscall"

	"astrolabe/capture/decode/oa"
	"astrolabe/hwio/intel"
)

// Sizes of the driver's list of engines: its head, and an engine, which begins with its class and number.
const (
	enginesHead = 16
	engineSize  = 56
	maxEngines  = 256
)

// readEngines asks the driver for the engines. Kernels before 5.3 cannot be asked, and none is told.
func readEngines(d device) ([]intel.Engine, error) {
	b, err := d.query(queryEngines)
	switch {
	case errors.Is(err, syscall.EINVAL), errors.Is(err, syscall.ENODEV):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("ask the driver for the GPU's engines: %w", intel.Cause(err))
	}
	return parseEngines(b)
}

func parseEngines(b []byte) ([]intel.Engine, error) {
	if len(b) < enginesHead {
		return nil, fmt.Errorf("list of engines of %d bytes: its head alone has %d", len(b), enginesHead)
	}
	n := binary.LittleEndian.Uint32(b)
	if n > maxEngines || len(b) < enginesHead+int(n)*engineSize {
		return nil, fmt.Errorf("list of engines of %d bytes states %d", len(b), n)
	}
	var out []intel.Engine
	for i := range int(n) {
		e := b[enginesHead+i*engineSize:]
		out = append(out, intel.Engine{Class: binary.LittleEndian.Uint16(e), Instance: binary.LittleEndian.Uint16(e[2:])})
	}
	return out, nil
}

// oaUnit is an OA unit with the engines that the driver opens a stream of it for.
type oaUnit struct {
	title   string
	media   bool
	engines []intel.Engine
}

// units are those of the GPU. The driver does not list them: every GPU has the one for render and compute, of which it
// knows the render engine; Meteor Lake has one for all its media engines.
func (h *hardware) units() []*oaUnit {
	main := &oaUnit{title: "the OA unit for render and compute", engines: []intel.Engine{{Class: intel.ClassRender}}}
	out := []*oaUnit{main}
	if h.part.version() == versionMTL && h.perfRev >= revMedia {
		media := &oaUnit{title: "the OA unit for media", media: true}
		for _, e := range h.engines {
			if e.Class == intel.ClassVideoDecode || e.Class == intel.ClassVideoEnhance {
				media.engines = append(media.engines, e)
			}
		}
		out = append(out, media)
	}
	return out
}

// chooseEngine finds the OA unit that counts the set, and its engine.
func (h *hardware) chooseEngine(set *settings) (*oaUnit, intel.Engine, error) {
	media := set.format == oa.MPEC8u32B8C8
	for _, u := range h.units() {
		if u.media != media {
			continue
		}
		at, err := intel.ChooseEngine(set.engine, u.title, u.engines)
		switch {
		case err != nil:
			return nil, intel.Engine{}, err
		case len(u.engines) == 0:
			return nil, intel.Engine{}, fmt.Errorf("metric set %s is of %s, and the driver tells of none of its engines", set.sel.Set.Name, u.title)
		}
		return u, u.engines[at], nil
	}
	return nil, intel.Engine{}, fmt.Errorf("metric set %s is of the OA unit for media: the driver's performance interface is of revision %d, and OA of media engines came with %d",
		set.sel.Set.Name, h.perfRev, revMedia)
}
