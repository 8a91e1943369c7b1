package procfs

import (
	"astrolabe/hwio"
	"astrolabe/hwio/internal/sysroot"
	"astrolabe/hwio/internal/tape"
)

// Taped implements hwio.Tapeable.
func (s *Source) Taped(t *tape.Tape) hwio.Source { return &Source{root: s.root.Taped(t)} }

// Played implements hwio.Playable.
func (s *Source) Played(p *tape.Player, _ int64) hwio.Source { return &Source{root: sysroot.Played(p)} }
