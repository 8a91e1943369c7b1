package analysis

// AccountRest is a part, of kind LimitUnit, of the time in which the device does not work.
type AccountRest struct {
	Name  string
	Share []float64 // of each sample, of which it has no more than those before it leave of that time; NaN is none
	Stays float64   // see AccountUnit
	// First says that it sets the pace meanwhile whatever the device does: it has its time before that.
	First bool
}

// idle gives the time of sample i in which the device does not work to what is known to have it, and the rest to Idle.
// It returns the active time that is left: what sets the pace whatever the device does has taken its own.
func (a *accountant) idle(i int, length, active int64) int64 {
	left := length - active
	a.out.Idle += left
	for _, r := range a.Rests {
		time := portion(length, unitShare(r.Share[i]))
		if over := min(active, time-left); over > 0 && r.First {
			active, left = active-over, left+over
		}
		time = min(left, time)
		a.waiting(r.Name, time, unitShare(r.Stays))
		left -= time
	}
	a.waiting(a.Idle, left, a.idleStays)
	return active
}

// waiting gives a part time in which the device does not work, of which a share stays where it is relieved.
func (a *accountant) waiting(name string, time int64, stays float64) {
	if time <= 0 {
		return
	}
	part := a.part(LimitUnit, name)
	a.give(part, time, true)
	gain := float64(time) * (1 - accountRelief) * (1 - stays)
	a.gain(part, gain, gain, OwnWork)
}
