package mali

// neighbourPeriod is the period of the other client in ns. It is no multiple of anything that a test would use.
const neighbourPeriod = 1_700_000

// startNeighbour starts a client of the model's own, which counts everything and reads every sample at once.
func (b *board) startNeighbour() {
	conf := config{period: neighbourPeriod, set: b.counterSet(), enable: map[uint8][2]uint64{}}
	for _, t := range b.gpu.types() {
		conf.enable[t.typ] = [2]uint64{^uint64(0), ^uint64(0)}
	}
	n := &neighbour{board: b, next: alignedAfter(b.now(), neighbourPeriod)}
	n.truth = b.client(0, "kinstr")
	n.truth.Periodic, n.truth.PeriodNs, n.truth.Enabled = true, neighbourPeriod, conf.enable
	n.truth.Set, n.truth.Running, n.truth.Starts = int(conf.set), true, 1
	if !b.spec.atLeast(10, 34) {
		n.truth.Interface = "vinstr"
	}
	for _, x := range b.gpu.instances {
		n.truth.Totals = append(n.truth.Totals, &BlockTotal{
			Type: x.typ, Block: x.block, Physical: x.physical, Reported: x.physical,
			Values: make([]uint64, b.spec.values),
		})
	}
	// It was there before anybody else, but the scenarios wait for the program's own start.
	n.acc = b.gpu.attach(b.now())
	b.gpu.started = 0
	b.readers = append(b.readers, n)
}

// neighbour is that client.
type neighbour struct {
	board *board
	truth *ClientTruth
	acc   *accumulator
	next  int64
	seq   uint64
}

func (n *neighbour) due() int64 { return n.next }

func (n *neighbour) broken() {}

func (n *neighbour) periodic(now int64) {
	n.next = alignedAfter(now, neighbourPeriod)
	end := n.board.gpu.take(n.acc, now)
	s := &sample{SampleTruth: SampleTruth{Seq: n.seq, Start: n.acc.from, End: end, Cycles: n.acc.clk}}
	for i, v := range n.acc.vals {
		values := append([]uint64{}, v...)
		for _, x := range values {
			s.Sum += x
		}
		s.values, s.states = append(s.values, values), append(s.states, n.acc.states[i])
	}
	n.seq++
	n.acc.reset(end)
	n.truth.add(s)
	n.truth.deliver(s)
	n.truth.put(s)
}
