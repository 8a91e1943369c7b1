package cpu

import "astrolabe/capture/simulate"

// doing is what a step of a thread does.
type doing uint8

const (
	doRun     doing = iota // run code for n instructions
	doLock                 // take a lock
	doUnlock               // give it back
	doRead                 // read n bytes and wait for them, counted as waiting for I/O
	doFetch                // read n bytes without being counted as waiting for I/O: by a ring, or in a sync of a journal
	doWrite                // write n bytes behind, without waiting
	doSwap                 // a page fault that reads n bytes back from disk
	doAsk                  // ask another machine and wait n ns for the answer
	doDate                 // wait for the next of the dates of the thread, n ns apart
	doArrive               // wait for the next request that somebody sends, on average n ns apart
	doSleep                // n ns
	doPost                 // add a credit
	doTake                 // wait for a credit and take it
	doBarrier              // wait until all that share it are there
	doUnit                 // a unit of the program's work is done
	doFork                 // the task ends, and another takes its place
)

// step is one thing that a thread does. Amounts vary from one round to the next.
type step struct {
	do     doing
	code   int     // of doRun
	n      float64 // amount
	spread float64 // of the amount's logarithm
	at     int     // the lock, credit or barrier
	often  float64 // chance that a round has it; 0 is always
	skip   int     // with often: how many of the steps behind it are left out with it
	repeat float64 // how many such acts in a row it stands for, at least 1: their switches count, too
}

// role is what threads do, round after round.
type role struct {
	name    string
	count   int
	steps   []step
	nice    bool
	pinned  bool
	other   bool // another program's
	cluster int  // that it must run on; -1 for any
}

// lockRule is a lock.
type lockRule struct {
	spin float64 // ns that a thread spins before it sleeps; negative: for ever
}

// credit counts what was made and not yet taken.
type credit struct {
	start int
	loose bool // it only limits how far one is ahead of another, so that a program could do with more
}

// phase is a program, or a part of one, that repeats its rounds.
type phase struct {
	name     string
	codes    []code
	roles    []role
	locks    []lockRule
	credits  []credit
	barriers []int   // how many share each
	dates    bool    // it works to dates
	refresh  float64 // ns of the dates, where a late one waits for the next: 0 otherwise
	grace    float64 // ns that a request may take
	spare    float64 // share of memory that is left
}

// slack is how far threads may be ahead of each other where they need not work in turn.
const slack = 12

// builder puts a phase together.
type builder struct {
	simulate.Random
	m     *machine
	p     phase
	mixed bool // code is never of one kind only
}

func newBuilder(r simulate.Random, m *machine, name string) *builder {
	return &builder{Random: r, m: m, p: phase{name: name, spare: r.Between(0.25, 0.8)}}
}

// code adds code of a kind, changed by edit if there is one.
func (b *builder) code(kind int, edit ...func(c *code)) int {
	c := newCode(b.Random, kind)
	if b.mixed {
		c.blend(newCode(b.Random, simulate.Pick(b.Random, codeMixed, codeMixed, b.IntN(codeKinds))), b.Between(0.3, 0.8))
	}
	for _, e := range edit {
		e(&c)
	}
	c.kernel = min(1, c.kernel+1500*c.faults) // instructions of the kernel for a fault
	b.p.codes = append(b.p.codes, c)
	return len(b.p.codes) - 1
}

func (b *builder) lock(spin float64) int {
	b.p.locks = append(b.p.locks, lockRule{spin})
	return len(b.p.locks) - 1
}

// credit adds credits; those that are loose say how far one may be ahead.
func (b *builder) credit(start int, loose bool) int {
	b.p.credits = append(b.p.credits, credit{start, loose})
	return len(b.p.credits) - 1
}

func (b *builder) barrier(sharing int) int {
	b.p.barriers = append(b.p.barriers, sharing)
	return len(b.p.barriers) - 1
}

func (b *builder) role(name string, count int, steps ...step) *role {
	b.p.roles = append(b.p.roles, role{name: name, count: count, steps: steps, cluster: -1})
	return &b.p.roles[len(b.p.roles)-1]
}

// run is code for about so many ns on the fastest core at its highest clock with nothing beside.
func (b *builder) run(c int, ns, spread float64) step {
	k := &b.m.clusters[len(b.m.clusters)-1].core
	one := noRelief()
	p := paceOf(&b.p.codes[c], k, b.m, &one, beside{hz: k.hz / 1e9, fit: 0.6})
	return step{do: doRun, code: c, n: ns / p.ns, spread: spread}
}

// cores is how many CPUs do not share a core.
func (m *machine) cores() int {
	n := 0
	for i, s := range m.sites {
		if s.sibling < 0 || s.sibling > i {
			n++
		}
	}
	return n
}
