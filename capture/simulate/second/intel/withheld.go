package intel

import (
	"slices"

	"astrolabe/capture/simulate"
)

// telling are the events that tell most directly of a candidate.
var telling = map[string][]event{
	"unit/arithmetic": {evActive, evFpu0, evFpu1, evBoth, evVsFpu0, evVsFpu1, evVsBoth, evPsFpu0, evPsFpu1, evPsBoth,
		evCsFpu0, evCsFpu1},
	"unit/texture":            {evTexels, evSamplerBusy, evSamplerBottleneck, evSamplerInput, evSamplerOutput},
	"unit/load_store":         {evAccess, evPortAsked, evPortTaken, evPortStalled, evUntypedRead, evUntypedWrite},
	"unit/local_memory":       {evSlmRead, evSlmWrite},
	"unit/vertex_fetch":       {evVfBottleneck, evVfRead},
	"unit/clipper":            {evClBottleneck, evClStall},
	"unit/setup":              {evSfBottleneck, evSfStall, evPolyReady},
	"unit/rasterizer":         {evRaster, evRasterInput, evRasterOutput, evBcBottleneck},
	"unit/hierarchical_depth": {evHizBottleneck, evHizFail, evHizRead, evHizWrite},
	"unit/early_depth":        {evEarlyBottleneck, evEarlyFail, evRczRead, evRczWrite, evPixelData, evDepth},
	"unit/pixel_backend":      {evWritten, evBlended, evPsOutput, evPixelValues, evRccRead, evRccWrite, evColor},
	"memory/bandwidth":        {evRead, evWrite, evRing, evL3Miss, evQueueFull},
	"memory/latency":          {evStall, evLoaded},
	"memory/cache":            {evBankActive, evBankStalled, evBankInput, evL3Access},
	"launch/overhead":         {evCsRead},
	"queues/in_turn":          {evVideoRing, evBlitRing, evAnyRing},
}

// withheld reports whether an event tells of a candidate that the recorder did not measure.
func withheld(list []simulate.Candidate, e event) bool {
	return slices.ContainsFunc(list, func(c simulate.Candidate) bool { return slices.Contains(telling[c.String()], e) })
}
