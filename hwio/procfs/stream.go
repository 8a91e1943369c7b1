package procfs

import (
	"context"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"astrolabe/capture"
	"astrolabe/hwio"
)

// stream reads the fast files on every tick and takes the sensors' latest values.
type stream struct {
	l        *layout
	schema   capture.Schema
	cur      []uint64 // per slot
	have     []bool
	prev     []uint64
	had      []bool
	began    bool
	warned   bool
	latest   []atomic.Uint64 // per sensor: bits of a double
	renew    chan struct{}   // has the sensors read
	renewed  time.Time       // when they were told to last
	stop     chan struct{}
	finished chan struct{}
	once     sync.Once
	closeErr error
}

var (
	_ hwio.Stream = (*stream)(nil)
	_ hwio.Paced  = (*stream)(nil)
)

// Beside a faster source the fast files are read as often as samples are written: the kernel adds up processor time 100
// to 250 times a second, a reading is some ten thousand instructions, and one more wake-up costs as much again.

// Every is how often Read is worth its while.
func (s *stream) Every(period, flush time.Duration) time.Duration { return max(period, flush) }

// Sensors are read beside a reading of the fast files, which takes no wake-up of its own, but no more often than
// sensorPeriod; and where those are read less often than that once per sensorPeriodMax.
const (
	sensorPeriod    = 100 * time.Millisecond
	sensorPeriodMax = time.Second
)

func newStream(l *layout, period time.Duration) *stream {
	s := &stream{
		l: l, cur: make([]uint64, l.slots), have: make([]bool, l.slots), prev: make([]uint64, l.slots),
		had:    make([]bool, l.slots),
		latest: make([]atomic.Uint64, len(l.sensors)), renew: make(chan struct{}, 1), stop: make(chan struct{}),
		finished: make(chan struct{}),
	}
	s.schema.Config = l.config
	for _, c := range l.cols {
		s.schema.Columns = append(s.schema.Columns, capture.ColumnSpec{Meta: c.meta, Integer: !c.slow})
	}
	s.readSensors()
	if len(l.sensors) == 0 {
		close(s.finished)
		return s
	}
	go func() {
		defer close(s.finished)
		var slow <-chan time.Time
		if period > sensorPeriodMax {
			t := time.NewTicker(sensorPeriodMax)
			defer t.Stop()
			slow = t.C
		}
		for {
			select {
			case <-slow:
				s.readSensors()
			case <-s.renew:
				s.readSensors()
			case <-s.stop:
				return
			}
		}
	}()
	return s
}

// readSensors renews the latest values. A sensor that cannot be read now has none. Those of one file stand beside each
// other.
func (s *stream) readSensors() {
	var data []byte
	var err error
	for i := range s.l.sensors {
		sen := &s.l.sensors[i]
		if i == 0 || sen.path != s.l.sensors[i-1].path {
			data, err = sen.file.Contents()
		}
		v := math.NaN()
		if err == nil {
			v = sen.value(data)
		}
		s.latest[i].Store(math.Float64bits(v))
	}
}

func (s *stream) Schema() *capture.Schema { return &s.schema }

// Read appends one sample.
func (s *stream) Read(_ context.Context, b *capture.Batch) error {
	s.cur, s.prev = s.prev, s.cur
	s.have, s.had = s.had, s.have
	clear(s.have)
	if now := time.Now(); len(s.l.sensors) > 0 && now.Sub(s.renewed) >= sensorPeriod*9/10 {
		select {
		case s.renew <- struct{}{}:
			s.renewed = now
		default: // they are being read yet
		}
	}
	if s.l.statFile != nil {
		s.readStat(b)
	}
	for _, p := range s.l.pressure {
		data, err := p.file.Contents()
		if err != nil {
			s.warn(b, err)
			continue
		}
		some, full, hasSome, hasFull := pressure(data)
		if p.some >= 0 {
			s.cur[p.some], s.have[p.some] = some, hasSome
		}
		if p.full >= 0 {
			s.cur[p.full], s.have[p.full] = full, hasFull
		}
	}
	if !s.began {
		s.began = true
		return nil
	}
	for i := range s.l.cols {
		s.appendValue(b, i, &s.l.cols[i])
	}
	return nil
}

func (s *stream) readStat(b *capture.Batch) {
	data, err := s.l.statFile.Contents()
	if err != nil {
		s.warn(b, err)
		return
	}
	st := s.l.stat
	st.parse(data)
	for row := range st.times {
		at := row * statFields
		n := st.fields[row]
		copy(s.cur[at:], st.times[row][:n])
		for k := range n {
			s.have[at+k] = true
		}
	}
	base := len(st.times) * statFields
	copy(s.cur[base:], st.single[:])
	copy(s.have[base:], st.present[:])
}

var (
	wentBack = capture.Reason{Code: capture.Unknown,
		Text: "the kernel's count went back by itself, as its idle and I/O wait times may"}
	noReading = capture.Reason{Code: capture.PowerGated,
		Text: "the sensor could not be read at that time: its device was off or busy"}
)

func (s *stream) appendValue(b *capture.Batch, i int, c *column) {
	if c.slow {
		v := math.Float64frombits(s.latest[c.slot].Load())
		if math.IsNaN(v) {
			b.AppendMissingFor(i, noReading)
			return
		}
		b.AppendFloat(i, v)
		return
	}
	now := s.cur[c.slot]
	switch {
	case !s.have[c.slot] || (c.meta.Kind == capture.Delta && !s.had[c.slot]):
		b.AppendMissingFor(i, capture.Reason{Code: capture.NotCollected, Text: c.gone})
	case c.meta.Kind == capture.Gauge:
		b.AppendInt(i, now*c.scale)
	case now < s.prev[c.slot]:
		b.AppendMissingFor(i, wentBack)
	default:
		b.AppendInt(i, (now-s.prev[c.slot])*c.scale)
	}
}

// warn tells of the first file that could not be read; its values are missing.
func (s *stream) warn(b *capture.Batch, err error) {
	if !s.warned {
		s.warned = true
		b.Warnings = append(b.Warnings, "procfs: "+err.Error()+"; its counters are missing there")
	}
}

// Close ends the reading of sensors and closes the files. A sensor that hangs in its driver keeps them open until it
// answers.
func (s *stream) Close() error {
	s.once.Do(func() {
		close(s.stop)
		select {
		case <-s.finished:
			s.closeErr = s.l.close()
		case <-time.After(time.Second):
			go func() {
				<-s.finished
				_ = s.l.close()
			}()
		}
	})
	return s.closeErr
}
