package amd

import (
	"fmt"
	"slices"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// Names are the families of the package.
var Names = []string{"amd-live-ninth"}

// Kinds are the kinds of cases of a family.
func Kinds(string) []string { return simulate.Kinds() }

// New draws a case of a family.
func New(name, kind string, seed uint64) (*simulate.Case, error) {
	if !slices.Contains(Names, name) || !slices.Contains(Kinds(name), kind) {
		return nil, fmt.Errorf("there is no %s of kind %q", name, kind)
	}
	r := simulate.NewRandom(seed, name+" "+kind)
	m := newMachine(r, &models[r.IntN(len(models))])
	c := &simulate.Case{Family: name, Kind: kind, Seed: seed}
	p := draw(r, m, kind, c)
	if kind != simulate.KindHealthy {
		p.fill(r, r.Between(1.5, 4))
	} else if err := p.settle(r, m); err != nil {
		return nil, err
	}
	c.Text = m.name + ": " + p.text
	c.Record = func(o simulate.Options) (*capture.Capture, error) { return record(m, &p.load, kind, seed, &o) }
	c.Judge = func() (*simulate.Truth, error) { return judge(m, &p.load) }
	return c, nil
}

// draw makes the program of a kind.
func draw(r simulate.Random, m *machine, kind string, c *simulate.Case) *program {
	size := 1.3 // a small chip runs smaller pictures, and still needs longer for them
	if !m.apu {
		size = 0.7
	}
	if kind != simulate.KindSingle && kind != simulate.KindHealthy {
		switch r.Weighted([]float64{8, 1, 1}) {
		case 1:
			m.hot(r)
		case 2:
			m.fixed = r.Between(0.5, 0.9)
		}
	}
	a := &archetypes[r.IntN(len(archetypes))]
	p := common(r)
	switch kind {
	case simulate.KindSingle:
		x := plants[c.Seed%uint64(len(plants))]
		c.Plant = x.candidate.String()
		return single(r, m, x)
	case simulate.KindRandom:
		p.text = "passes of any kind"
		ns := r.Log(1e6, 40e6) * size
		c := makeContent(r, p.text, mixture(r), ns, r.Log(0.3, 6), 0.6)
		p.add(c, c.lone()*r.Log(0.05, 2), c.lone()*r.Log(0.03, 1.2))
		p.pace(r, m, 0.25)
		if r.Chance(0.15) {
			p.wait = r.Between(0.2, 0.8)
		}
	case simulate.KindSerial:
		p.text = a.name + ", in turn"
		p.usual(r, a, size)
		jobs := p.contents[0].jobs
		other := slices.ContainsFunc(jobs, func(j job) bool { return j.queue != jobs[0].queue && j.queue != qCopy })
		if other && r.Chance(0.6) {
			inTurn(jobs)
		} else {
			ns := p.contents[0].lone()
			p.wait, p.cpu[0] = r.Between(0.2, 0.8), [2]float64{ns * r.Log(0.3, 2), ns * r.Log(0.05, 0.5)}
		}
		p.pace(r, m, 0.1)
	case simulate.KindTwoPhase:
		b := &archetypes[r.IntN(len(archetypes))]
		p.text = a.name + ", then " + b.name
		p.usual(r, a, size)
		wait := p.wait
		p.usual(r, b, size)
		if p.contents[1].name == p.contents[0].name {
			p.contents[1].name += " again"
		}
		p.wait = wait
		p.pace(r, m, 0.1)
	default:
		p.text = a.name
		p.usual(r, a, size)
		if kind == simulate.KindHealthy {
			calm(r, m, p)
		} else {
			p.pace(r, m, a.paced)
		}
	}
	return p
}

// inTurn lets every job on one queue wait for the one on another before it, although nothing in it asks for that.
func inTurn(jobs []job) {
	before := -1
	for i := range jobs {
		j := &jobs[i]
		if j.queue == qCopy {
			continue
		}
		if before >= 0 && jobs[before].queue != j.queue {
			j.after = []after{{before, 0, true}}
		}
		before = i
	}
	for i := range jobs { // and the next frame for the one before
		if jobs[i].queue != qCopy {
			jobs[i].after = append(jobs[i].after, after{before, 1, true})
			return
		}
	}
}

// settle makes a program's frames smaller until every date is kept.
func (p *program) settle(r simulate.Random, m *machine) error {
	p.fill(r, r.Between(1.5, 4))
	var s sim
	for range 12 {
		if err := s.run(m, &p.load, relief{}, false, nil); err != nil {
			return err
		}
		late := 0
		for i := p.warm; i < len(s.frames); i++ {
			late += s.frames[i].missed
		}
		if late == 0 {
			return nil
		}
		for i := range p.frames {
			f := &p.frames[i]
			f.app, f.driver = f.app*0.8, f.driver*0.8
			for k := range f.scale {
				f.scale[k] *= 0.85
			}
		}
	}
	return fmt.Errorf("%s misses dates whatever it does", p.text)
}
