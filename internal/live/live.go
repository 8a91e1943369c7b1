package live

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"astrolabe/capture"
	"astrolabe/hwio"
	"astrolabe/internal/top"
	"astrolabe/plots/interactive"
)

// Options say what is shown, and what the page may ask for.
type Options struct {
	Title     string
	Last      time.Duration // how much is kept, and shown
	Period    time.Duration // of the samples
	Refresh   time.Duration // how often the page gets what is new
	Instances bool          // lanes for instances too

	Mark     func(name string) error
	Progress func() hwio.Progress
	// SaveCapture and SaveReport write what is kept, and say where.
	SaveCapture func(s *hwio.Saved) (path string, err error)
	SaveReport  func(ctx context.Context, s *hwio.Saved) (path string, err error)

	Judge  func(ctx context.Context, c *capture.Capture) (*Judgement, error) // nil judges nothing
	Window time.Duration                                                     // of what is judged
}

// mostNumbers is how many numbers of all lanes a page is to hold: as many buckets as that allows, between bounds.
const (
	mostNumbers   = 4_000_000
	leastBuckets  = 600
	mostBuckets   = 6000
	slowestBucket = time.Minute
)

// Live is a recording that is looked at.
type Live struct {
	o     Options
	queue top.Feed // samples on their way to the page
	hub   hub
	begun chan struct{} // closed when the page has lanes

	mu   sync.Mutex
	ring *hwio.Ring

	lanes  interactive.Feed // under hub.mu, as the page reads them
	bucket time.Duration
	own    events // what the recording itself says happened; under hub.mu too

	saving sync.Mutex // one file is written at a time
	judged judged
}

// New returns a Live without samples.
func New(o Options) *Live {
	l := &Live{o: o, begun: make(chan struct{})}
	l.hub.wake = make(chan struct{})
	l.hub.last = o.Last
	return l
}

// Create is hwio.Options.Create.
func (l *Live) Create(s *capture.Schema) (hwio.Sink, error) {
	ring, err := hwio.NewRing(s, l.o.Last, l.o.Period)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	l.ring = ring
	l.mu.Unlock()
	if _, err := l.queue.Create(s); err != nil {
		return nil, err
	}
	return (*sink)(l), nil
}

// RecordTo writes all further samples into a file as well; Create comes before it.
func (l *Live) RecordTo(create func(*capture.Schema) (hwio.Sink, error)) error {
	return l.queue.RecordTo(create)
}

// sink is the Live as the recording sees it.
type sink Live

// Write keeps a copy of b.
func (s *sink) Write(b *capture.Batch) error {
	s.mu.Lock()
	s.ring.Keep(b.Clone())
	s.mu.Unlock()
	return s.queue.Write(b)
}

// Close ends the file, if there is one. What is kept stays.
func (s *sink) Close() error { return s.queue.Close() }

// saved is what is kept of the last samples.
func (l *Live) saved(last time.Duration) *hwio.Saved {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ring == nil {
		return &hwio.Saved{}
	}
	return l.ring.Saved(last)
}

// Run hands what is recorded to the viewers until the recording has ended, and then tells them so.
func (l *Live) Run(ctx context.Context, ended <-chan struct{}) error {
	judging, stop := context.WithCancel(ctx)
	var judge sync.WaitGroup
	if l.o.Judge != nil {
		judge.Go(func() { l.judge(judging) })
	}
	defer judge.Wait()
	defer stop()
	defer l.hub.end()
	tick := time.NewTimer(l.o.Refresh)
	defer tick.Stop()
	for over := false; !over; {
		select {
		case <-ended:
			over = true
		case <-tick.C:
		}
		if err := l.step(); err != nil {
			return err
		}
		tick.Reset(max(l.o.Refresh, l.bucket))
	}
	return nil
}

// step hands on what was recorded since the last.
func (l *Live) step() error {
	c, lost, err := l.queue.Take()
	if err != nil {
		return fmt.Errorf("live: %w", err)
	}
	if lost > 0 {
		l.hub.lose(lost)
	}
	if c != nil && c.Len() > 0 {
		if err := l.show(c); err != nil {
			return fmt.Errorf("live: %w", err)
		}
	}
	l.tellStatus()
	return nil
}

// show makes buckets of new samples.
func (l *Live) show(c *capture.Capture) error {
	described, counters, err := lanesOf(c, l.o.Instances)
	if err != nil {
		return err
	}
	if l.bucket == 0 {
		if len(counters) == 0 {
			return errors.New("there is no counter to show")
		}
		one := bucketed(counters, 1)
		l.bucket = bucketFor(l.o.Last, l.o.Period, one.Columns())
	}
	first, last := described.Axis.Extent()
	most := (last - first + int64(l.bucket) - 1) / int64(l.bucket)
	data := bucketed(counters, int(min(max(most, 1), mostBuckets)))
	l.hub.mu.Lock()
	event, err := l.lanes.Append(data)
	l.hub.mu.Unlock()
	if err != nil {
		return err
	}
	l.hub.append(event, described.Len(), last)
	select {
	case <-l.begun:
	default:
		close(l.begun)
	}
	l.hub.mu.Lock()
	changed := l.own.add(described, last-l.o.Last.Nanoseconds())
	l.hub.mu.Unlock()
	if changed {
		l.tellBands()
	}
	return nil
}

// bucketFor is how long a bucket is, so that all that is kept makes a page that a browser can hold.
func bucketFor(last, period time.Duration, columns int) time.Duration {
	n := min(max(mostNumbers/max(columns, 1), leastBuckets), mostBuckets)
	b := max(last/time.Duration(n), period)
	for step := time.Millisecond; step < slowestBucket; step *= 10 {
		for _, k := range []time.Duration{1, 2, 5} {
			if k*step >= b {
				return k * step
			}
		}
	}
	return b
}
