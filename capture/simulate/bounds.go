package simulate

// Bounds are the times at which samples end and the next begin. They go on as far as they are asked for.
type Bounds struct {
	at     []int64
	period float64 // ns
	late   func(n int) (delay int64, missed int)
	n      int         // of ticks
	missed map[int]int // by sample: ticks that it covers beside its own
}

// NewBounds samples every period of ns. late, if not nil, says for each tick how late its sample is taken, and how
// many ticks after it have no sample of their own because the sampler was not run.
func NewBounds(period float64, late func(n int) (delay int64, missed int)) *Bounds {
	return &Bounds{at: []int64{0}, period: period, late: late}
}

// At is the end of sample i-1 and the start of sample i.
func (b *Bounds) At(i int) int64 {
	for len(b.at) <= i {
		b.n++
		t := int64(float64(b.n) * b.period)
		if b.late != nil {
			delay, missed := b.late(b.n)
			if missed > 0 {
				if b.missed == nil {
					b.missed = map[int]int{}
				}
				b.missed[len(b.at)-1] = missed
				b.n += missed
			}
			t = int64(float64(b.n)*b.period) + delay
		}
		b.at = append(b.at, max(t, b.at[len(b.at)-1]+1))
	}
	return b.at[i]
}

// Missed is how many ticks sample i covers beside its own.
func (b *Bounds) Missed(i int) int { return b.missed[i] }

// Index is the sample that holds a time.
func (b *Bounds) Index(t int64) int {
	i := int(float64(t) / b.period)
	for b.At(i) > t && i > 0 {
		i--
	}
	for b.At(i+1) <= t {
		i++
	}
	return i
}

// Jitter is the lateness of a sampler that the kernel's work queue runs: some tens of microseconds, now and then a
// lot more (late is the share of such ticks), and with a busy machine some ticks are missed (missed is their share).
func Jitter(r Random, period, usual, late, missed float64) func(int) (int64, int) {
	return func(int) (int64, int) {
		delay := usual * r.ExpFloat64()
		skip := 0
		if late > 0 && r.Chance(late) {
			delay += r.Between(0.1, 0.8) * period
		}
		if missed > 0 && r.Chance(missed) {
			skip = 1 + int(r.ExpFloat64()*0.8)
		}
		return int64(min(delay, 0.9*period)), skip
	}
}
