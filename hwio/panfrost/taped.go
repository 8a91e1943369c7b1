package panfrost

import (
	"astrolabe/hwio"
	"astrolabe/hwio/internal/mali"
	"astrolabe/hwio/internal/sysroot"
	"astrolabe/hwio/internal/tape"
)

// Taped implements hwio.Tapeable.
func (s *Source) Taped(t *tape.Tape) hwio.Source {
	c := *s
	c.root = s.root.Taped(t)
	c.kernel = mali.Taped(s.kernel, t, map[uint32]mali.Form{
		reqGetParam:     {Name: "GET_PARAM", Out: []mali.Span{{8, 8}}},
		reqEnable:       {Name: "PERFCNT_ENABLE"},
		reqDump:         {Name: "PERFCNT_DUMP", Blank: func(_, _ []byte) {}}, // counters from end to end
		reqPanthorQuery: {Name: "DEV_QUERY", Out: []mali.Span{{4, 4}}},
	})
	return &c
}

// Played implements hwio.Playable.
func (s *Source) Played(p *tape.Player, _ int64) hwio.Source {
	c := *s
	c.root, c.kernel, c.clocks = sysroot.Played(p), mali.Played(p), mali.PlayedTimes(p)
	return &c
}
