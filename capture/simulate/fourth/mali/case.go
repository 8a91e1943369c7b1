package mali

import (
	"fmt"
	"slices"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// Names are the families: a GPU of the 5th generation with command streams, and one of early Valhall with a job manager.
var Names = []string{"mali-g720-fourth", "mali-g57-fourth"}

// Kinds are the kinds of cases of a family.
func Kinds(string) []string { return simulate.Kinds() }

// New draws a case of a family. The same arguments give the same case.
func New(name, kind string, seed uint64) (*simulate.Case, error) {
	if !slices.Contains(Names, name) {
		return nil, fmt.Errorf("there is no family %q; there are %v", name, Names)
	}
	if !slices.Contains(simulate.Kinds(), kind) {
		return nil, fmt.Errorf("there is no kind %q; there are %v", kind, simulate.Kinds())
	}
	r := simulate.NewRandom(seed, "fourth "+name+" "+kind)
	d := &drawer{m: newMachine(name, r), r: r, seed: seed}
	c := &simulate.Case{Family: name, Kind: kind, Seed: seed}
	var p *program
	switch kind {
	case simulate.KindArchetype:
		p = d.usual(contents[seed%uint64(len(contents))](d.m.csf, r))
	case simulate.KindRandom:
		p = d.usual(mixture(d.m.csf, r))
	case simulate.KindSingle:
		list := plants(d.m.csf)
		plant := list[seed%uint64(len(list))]
		c.Plant = plant.String()
		p = d.single(plant)
	case simulate.KindSerial:
		if frame := r.Log(6*ms, 30*ms); r.Chance(0.5) {
			p = d.turns(frame)
		} else {
			p = d.synced(frame)
		}
	case simulate.KindHealthy:
		p = d.healthy(simulate.Pick(r, simulate.DisplayVsync, simulate.DisplayVsync, simulate.DisplayCap, simulate.DisplayRequest))
	case simulate.KindTwoPhase:
		p = d.twoPhase()
	}
	p.seed = seed
	var names []string
	for i := range p.contents {
		names = append(names, p.contents[i].name)
	}
	c.Text = fmt.Sprintf("%s, %s, %d cores at %.0f MHz", strings.Join(names, ", then "), p.pace.text(), d.m.cores, d.m.hz/1e6)
	c.Judge = p.judge
	c.Record = func(o simulate.Options) (*capture.Capture, error) { return p.record(name, o) }
	return c, nil
}

func (p *pacing) text() string {
	switch p.kind {
	case paceVsync:
		return fmt.Sprintf("%.0f Hz with %d buffers", 1e9/p.refresh, p.depth)
	case paceVRR:
		return fmt.Sprintf("variable refresh up to %.0f Hz", 1e9/p.refresh)
	case paceCap:
		return fmt.Sprintf("capped at %.0f Hz", 1e9/p.every)
	case paceRequest:
		return "frames on request"
	}
	return "uncapped"
}
