package rdna

import "astrolabe/capture/simulate"

// planted is a program of compute that one thing should limit.
func planted(r simulate.Random, thing int) program {
	p := plain(r.Log(6000, 6e4), r.Log(4, 40))
	p.loads, p.miss = 0.5, [4]float64{0.3, 0.95, 0.1, 0.4}
	p.valu, p.parallel = r.Between(10, 25), 2.5
	switch thing {
	case valu:
		p.valu = r.Between(400, 2500)
		p.trans = p.valu * simulate.Pick(r, 0, 0, 0.1)
		p.double = p.valu * simulate.Pick(r, 0, 0, 0.2)
	case lds:
		p.lds, p.conflict, p.barrier = r.Between(60, 200), simulate.Pick(r, 0, 1.5, 6), r.Chance(0.4)
	case access:
		p.loads, p.lookups, p.wide = r.Between(6, 20), r.Between(4, 24), 2
		p.wide = p.lookups
		p.miss[0] = r.Between(0.005, 0.02)
	case cache:
		p.loads, p.miss = r.Between(5, 14), [4]float64{1, 0.99, r.Between(0.005, 0.02), 0.1}
		vectors(&p)
	case memory:
		p.loads, p.stores, p.miss = r.Between(2, 6), simulate.Pick(r, 0, 1.0, 2), [4]float64{1, 1, 1, r.Between(0.95, 1)}
		vectors(&p)
	case wait:
		p.waves, p.rounds, p.slots = r.Log(50, 600), r.Log(60, 400), simulate.Pick(r, 8.0, 16, 32)
		p.group, p.loads, p.valu = 4, 1, r.Between(5, 14)
		p.miss = [4]float64{1, 1, r.Between(0.2, 1), r.Between(0.3, 1)}
	case spawn:
		p.waves, p.rounds, p.valu, p.loads, p.stores, p.salu = r.Log(1.5e5, 8e5), 1, r.Between(2, 6), 0, 0, 2
		p.group = simulate.Pick(r, 1, 2, 4)
	case fixed:
		p.waves, p.rounds, p.loads, p.group = r.Log(1, 60), 1, simulate.Pick(r, 0, 1.0), 1
	}
	return p
}
