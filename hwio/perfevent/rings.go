package perfevent

import (
	"errors"
	"syscall"
	"time"
)

// rings are those of all CPUs: the groups of a CPU share one.
type rings struct {
	list []records // nil where a CPU was offline and its ring could not be mapped again yet
	size int       // of each, in bytes
	room int64     // ns of samples that fit the smallest ring
}

// A ring holds the samples of ringTime where the kernel gives that much memory. Less than ringLeast is too little.
const (
	ringTime  = 2 * time.Second
	ringLeast = 50 * time.Millisecond
	ringMost  = 8 << 20
)

// open maps the rings for groups that sample every period (ns). Of several tasks one is on a CPU at a time.
func (r *rings) open(groups []*group, period int64) error {
	bytes := map[int]int{} // of the samples of a period, per CPU
	most := 0
	for _, g := range groups {
		if g.pid == groups[0].pid {
			bytes[g.cpu] += recordHeader + sampleWords*8 + groupSize(len(g.members))
			most = max(most, bytes[g.cpu])
		}
	}
	size := 4096
	for int64(size)*period < int64(most)*ringTime.Nanoseconds() && size < ringMost {
		size *= 2
	}
	for ; ; size /= 2 {
		r.room = int64(size/most) * period
		if size < 4096 || r.room < max(ringLeast.Nanoseconds(), 2*period) {
			return &noSampling{errors.New("the kernel gives no memory for that (kernel.perf_event_mlock_kb)")}
		}
		err := r.mapAll(groups, size)
		if err == nil {
			r.size = size
			return nil
		}
		if err := r.unmap(); err != nil {
			return err
		}
		if !errors.Is(err, syscall.EPERM) && !errors.Is(err, syscall.ENOMEM) {
			return &noSampling{err}
		}
	}
}

// mapAll maps a ring for the first group of every CPU, and has the others of that CPU write to it.
func (r *rings) mapAll(groups []*group, size int) error {
	first := map[int]*group{}
	for _, g := range groups {
		clocks := g.clocks()
		l := first[g.cpu]
		if l == nil {
			one, err := g.leader.ring(size)
			if err != nil {
				return err
			}
			g.ring = len(r.list)
			r.list = append(r.list, one)
			first[g.cpu], l, clocks = g, g, clocks[1:]
		}
		for _, c := range clocks {
			if err := c.into(l.leader); err != nil {
				return err
			}
		}
		g.ring = l.ring
	}
	return nil
}

// renew maps ring i anew, for groups of its CPU that were opened again.
func (r *rings) renew(i int, groups []*group) error {
	if old := r.list[i]; old != nil {
		r.list[i] = nil
		if err := old.unmap(); err != nil {
			return err
		}
	}
	one, err := groups[0].leader.ring(r.size)
	if err != nil {
		return err
	}
	for _, g := range groups {
		for _, c := range g.clocks() {
			if c == groups[0].leader {
				continue
			}
			if err := c.into(groups[0].leader); err != nil {
				return errors.Join(err, one.unmap())
			}
		}
	}
	r.list[i] = one
	return nil
}

func (r *rings) unmap() error {
	var errs []error
	for _, one := range r.list {
		if one != nil {
			errs = append(errs, one.unmap())
		}
	}
	r.list = nil
	return errors.Join(errs...)
}

// byClock finds a group by the id of a clock that samples it.
func byClock(groups []*group) map[uint64]*group {
	out := map[uint64]*group{}
	for _, g := range groups {
		for i := range g.clocks() {
			out[g.ids[i]] = g
		}
	}
	return out
}

func mostMembers(groups []*group) (n int) {
	for _, g := range groups {
		n = max(n, len(g.members))
	}
	return n
}
