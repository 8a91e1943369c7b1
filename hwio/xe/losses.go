package xe

// losses finds where reports are missing. The driver only tells that some were lost since the last read, before it
// delivers what came before and after: the place shows in the times, as the hardware writes a report in every period.
type losses struct {
	period uint32 // ticks; 0 where it is too long to tell

	known   bool   // of a timer's report
	last    uint32 // its timestamp, or when one was due that is missing
	waiting int    // times that there are reports until what was told counts as not to be found; 0 where nothing was told
	shown   bool   // the times showed a loss since it was told
	reports int    // how often the driver told of dropped reports
	buffers int    // and of a full buffer
	unfound int    // of which the times show nothing
}

// patience is how many times the driver has reports until a loss would have shown: what waited when it was told, and
// what came after.
const patience = 3

func newLosses(exponent int) losses {
	if exponent > 28 {
		return losses{}
	}
	return losses{period: 2 << exponent}
}

// told takes over the bits of the status.
func (l *losses) told(status uint64) {
	if status&statusLost != 0 {
		l.reports++
	}
	if status&statusOverflow != 0 {
		l.buffers++
	}
	if status&(statusLost|statusOverflow) != 0 {
		if l.waiting == 0 {
			l.shown = false
		}
		l.waiting = patience
	}
}

// before says whether reports are missing between the last report and one with that timestamp. A report is some ticks
// late at times.
func (l *losses) before(stamp uint32, timer bool) (missing bool) {
	if l.period != 0 && l.known && l.waiting > 0 {
		slack := max(16, l.period/256)
		if since := stamp - l.last; since > l.period+slack {
			missing, l.shown = true, true
			l.last += since / l.period * l.period
		}
	}
	if timer {
		l.last, l.known = stamp, true
	}
	return missing
}

// drained says that all reports were read that there were.
func (l *losses) drained() {
	if l.waiting > 0 {
		if l.waiting--; l.waiting == 0 && !l.shown {
			l.unfound++
		}
	}
}
