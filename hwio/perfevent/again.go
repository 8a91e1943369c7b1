package perfevent

import (
	"errors"
	"slices"
	"time"
)

// The kernel ends the counters of a CPU that goes offline and does not go on with them when it is back. So they are
// opened anew then, for which such CPUs are tried this often.
const tryAgain = 50 * time.Millisecond

// ended reports whether the kernel may have ended a group because its CPU went offline, and it is time to try it again.
// stands says that it is enabled no longer.
func (g *group) ended(now int64, stands bool) bool {
	if g.pid >= 0 || g.broken != nil && !g.wentOffline() || g.broken == nil && !stands {
		g.tried = 0
		return false
	}
	if g.tried == 0 {
		g.tried = now
	}
	if now-g.tried < tryAgain.Nanoseconds() {
		return false
	}
	g.tried = now
	return true
}

// renew opens the events of a group anew and starts them. Its error says that they cannot be opened yet, or not as they
// were.
func (o *opener) renew(g *group) (*group, error) {
	groups, err := o.openGroups(g.target, g.events[len(g.clocks()):])
	if err != nil {
		return nil, err
	}
	if len(groups) == 1 && slices.Equal(groups[0].events, g.events) {
		if err = groups[0].leader.enable(); err == nil {
			err = groups[0].read()
		}
		if err == nil {
			return groups[0], nil
		}
	}
	for _, one := range groups {
		err = errors.Join(err, one.close())
	}
	return nil, errors.Join(errTakenApart, err)
}

// becomes has the group go on with the events of another.
func (g *group) becomes(fresh *group) error {
	err := g.close()
	g.leader, g.members, g.ids, g.buf = fresh.leader, fresh.members, fresh.ids, fresh.buf
	g.cur, g.now, g.broken, g.tried = fresh.cur, fresh.now, nil, 0
	return err
}

// revive opens a group anew whose CPU is online again. What it counts from then on belongs to the next reading.
func (s *stream) revive(g *group) error {
	fresh, err := s.opener.renew(g)
	if err != nil {
		return nil // not yet
	}
	err = g.becomes(fresh)
	g.cur, g.prev = g.prev, g.cur
	g.was = g.now
	return err
}

// reviveCPU opens all groups of a CPU anew that is online again, with a ring of their own. Their totals go on from where
// they stood.
func (s *sampling) reviveCPU(cpu int) error {
	var old, fresh []*group
	var err error
	for _, g := range s.groups {
		if g.cpu != cpu {
			continue
		}
		var one *group
		if one, err = s.opener.renew(g); err != nil {
			break
		}
		old, fresh = append(old, g), append(fresh, one)
	}
	if err == nil {
		err = s.rings.renew(old[0].ring, fresh)
	}
	if err != nil { // not yet
		for _, one := range fresh {
			_ = one.close()
		}
		return nil
	}
	var errs []error
	for i, g := range old {
		for _, id := range g.ids {
			delete(s.byID, id)
		}
		g.run.stay(s.k.now())
		errs = append(errs, g.becomes(fresh[i]), g.read())
		g.run.again(s.k.now(), g.cur, g.now)
		for k := range g.clocks() {
			s.byID[g.ids[k]] = g
		}
	}
	return errors.Join(errs...)
}
