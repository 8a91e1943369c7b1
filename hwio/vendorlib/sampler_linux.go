//go:build amd64 || arm64

package main

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"time"

	"astrolabe/hwio/internal/clock"
	"astrolabe/hwio/internal/vendorproc"
)

// rocprofilerService answers requests for rocprofiler-sdk.
type rocprofilerService struct {
	out     *vendorproc.Server
	sampler *sampler
}

func (s *rocprofilerService) list(q *vendorproc.RocprofilerQuery) (*vendorproc.RocprofilerInfo, error) {
	if err := configure(q.Library, nil); err != nil {
		return nil, err
	}
	if len(setup.agents) == 0 {
		return nil, noGPU()
	}
	info := &vendorproc.RocprofilerInfo{Library: setup.lib.path, Version: setup.version, Agents: setup.agents}
	if !q.Counters {
		for i := range info.Agents {
			info.Agents[i].Counters = nil
		}
	}
	return info, nil
}

// start has the GPU count. Nothing is sampled before begin.
func (s *rocprofilerService) start(q *vendorproc.RocprofilerStart) (*vendorproc.RocprofilerStarted, error) {
	if err := configure(q.Library, func(a *vendorproc.Agent) bool { return uint64(a.Node) == q.Agent }); err != nil {
		return nil, err
	}
	if len(setup.agents) == 0 {
		return nil, noGPU()
	}
	if setup.agent == nil {
		return nil, &vendorproc.Error{Kind: vendorproc.BadRequest,
			Text: fmt.Sprintf("no GPU has the node number %d", q.Agent)}
	}
	r := setup.rocprofiler
	var counters []vendorproc.Counter
	total := 0
next:
	for _, name := range q.Counters {
		for _, c := range setup.agent.Counters {
			if c.Name == name {
				counters = append(counters, c)
				total += instances(&c)
				continue next
			}
		}
		return nil, &vendorproc.Error{Kind: vendorproc.BadRequest, Text: fmt.Sprintf("the GPU has no counter %s", name)}
	}
	var err error
	if setup.config, err = r.chooseCounters(setup.agent.ID, counters); err != nil {
		return nil, err
	}
	if st := call(r.startContext, uintptr(setup.context)); st != 0 {
		return nil, r.failure("rocprofiler_start_context", st)
	}
	if setup.wasSet && setup.setStatus != 0 {
		return nil, r.failure("choosing the set of counters", setup.setStatus)
	}
	s.sampler = &sampler{
		rocprofiler: r, out: s.out, period: time.Duration(max(q.PeriodNS, int64(50*time.Microsecond))),
		records: room(max(total, 16) * recordSize / 8), count: room(1), index: map[uint64]int{},
		quit: make(chan struct{}), done: make(chan struct{}),
	}
	columns, err := s.sampler.learn(counters)
	if err != nil {
		return nil, err
	}
	agent := *setup.agent
	agent.Counters = nil
	return &vendorproc.RocprofilerStarted{Library: setup.lib.path, Version: setup.version, Agent: agent,
		Columns: columns}, nil
}

// begin takes the first sample, and the others in a thread of their own.
func (s *rocprofilerService) begin(*struct{}) (struct{}, error) {
	if s.sampler == nil || s.sampler.running {
		return struct{}{}, &vendorproc.Error{Kind: vendorproc.BadRequest,
			Text: "nothing is counting, or samples are being taken already"}
	}
	if err := s.sampler.once(); err != nil {
		return struct{}{}, err
	}
	s.sampler.running = true
	go s.sampler.run()
	return struct{}{}, nil
}

// stop takes a last sample and ends counting.
func (s *rocprofilerService) stop(*struct{}) (*vendorproc.RocprofilerStopped, error) {
	m := s.sampler
	if m == nil {
		return nil, &vendorproc.Error{Kind: vendorproc.BadRequest, Text: "nothing is counting"}
	}
	if m.running {
		close(m.quit)
		<-m.done
		m.running = false
	}
	s.sampler = nil
	stopped := m.stopped
	if st := call(m.stopContext, uintptr(setup.context)); st != 0 {
		return nil, m.failure("rocprofiler_stop_context", st)
	}
	return &stopped, nil
}

// sampler reads the counters again and again.
type sampler struct {
	*rocprofiler
	out     *vendorproc.Server
	period  time.Duration
	records []uint64
	count   []uint64
	index   map[uint64]int // from a record's instance id to its column
	columns []uint64       // the other way
	sample  vendorproc.Sample
	number  uint64
	running bool
	quit    chan struct{}
	done    chan struct{}
	stopped vendorproc.RocprofilerStopped
}

func now() int64 { return clock.Monotonic() }

const wordsPerRecord = recordSize / 8

// read asks the library for the counters' values and notes the time around the call. A buffer that was too small is
// made larger.
func (m *sampler) read() (n int, before, after int64, status int32) {
	for {
		capacity := len(m.records) / wordsPerRecord
		m.count[0] = uint64(capacity)
		before = now()
		status = call(m.rocprofiler.sample, uintptr(setup.context), uintptr(m.number), 0, address(m.records),
			address(m.count))
		after = now()
		if status == 0 {
			m.number++
			return int(min(m.count[0], uint64(capacity))), before, after, 0
		}
		if !strings.HasSuffix(m.name(status), outOfRoom) || capacity >= mostInstances {
			return 0, before, after, status
		}
		m.records = room(int(min(max(m.count[0], 2*uint64(capacity)), mostInstances)) * wordsPerRecord)
		m.stopped.Grown++
	}
}

// learn takes a sample to see which instances there are, and where.
func (m *sampler) learn(counters []vendorproc.Counter) ([]vendorproc.Column, error) {
	n, _, _, st := m.read()
	if st != 0 {
		return nil, m.failure("rocprofiler_sample_device_counting_service", st)
	}
	var columns []vendorproc.Column
	for i := range n {
		id := m.records[i*wordsPerRecord+recordID/8]
		if _, seen := m.index[id]; seen {
			continue
		}
		c, err := m.counterOf(id, counters)
		if err != nil {
			return nil, err
		}
		if c == nil {
			m.stopped.Strange++
			continue
		}
		col := vendorproc.Column{Counter: *c}
		for _, d := range c.Dimensions {
			if st := call(m.recordPosition, uintptr(id), uintptr(d.ID), address(m.out4())); st != 0 {
				return nil, m.failure("rocprofiler_query_record_dimension_position", st)
			}
			col.Positions = append(col.Positions, m.rocprofiler.out[0])
		}
		m.index[id] = len(columns)
		columns, m.columns = append(columns, col), append(m.columns, id)
	}
	if len(columns) == 0 {
		return nil, &vendorproc.Error{Kind: vendorproc.LibraryFailed,
			Text: fmt.Sprintf("rocprofiler-sdk %s delivers no value of the counters", m.version)}
	}
	m.sample.Values = make([]float64, len(columns))
	return columns, nil
}

// out4 is the memory for results, emptied.
func (m *sampler) out4() []uint64 {
	clear(m.rocprofiler.out)
	return m.rocprofiler.out
}

// counterOf finds the counter that a record is of. Some releases leave the agent out of the number: then the name
// tells.
func (m *sampler) counterOf(record uint64, counters []vendorproc.Counter) (*vendorproc.Counter, error) {
	if st := call(m.recordCounter, uintptr(record), address(m.out4())); st != 0 {
		return nil, m.failure("rocprofiler_query_record_counter_id", st)
	}
	id := m.rocprofiler.out[0]
	for i := range counters {
		if counters[i].ID == id {
			return &counters[i], nil
		}
	}
	c, err := m.describe(id)
	if err != nil {
		return nil, nil // a record of something else
	}
	for i := range counters {
		if counters[i].Name == c.Name {
			return &counters[i], nil
		}
	}
	return nil, nil
}

// once takes a sample and sends it.
func (m *sampler) once() error {
	n, before, after, st := m.read()
	if st != 0 {
		return m.failure("rocprofiler_sample_device_counting_service", st)
	}
	for i := range m.sample.Values {
		m.sample.Values[i] = math.NaN()
	}
	for i := range n {
		at := i * wordsPerRecord
		id := m.records[at+recordID/8]
		column := i
		if i >= len(m.columns) || m.columns[i] != id {
			var ok bool
			if column, ok = m.index[id]; !ok {
				m.stopped.Strange++
				continue
			}
		}
		m.sample.Values[column] = math.Float64frombits(m.records[at+recordValue/8])
	}
	m.sample.Start, m.sample.End = before, after
	m.stopped.Samples++
	return m.out.Sample(&m.sample)
}

// patience is how often in a row a sample may fail.
const patience = 20

// run samples until it is told to stop, and once more then.
func (m *sampler) run() {
	runtime.LockOSThread()
	defer close(m.done)
	t := time.NewTimer(m.period)
	defer t.Stop()
	next := now() + int64(m.period)
	row := 0
	for last := false; !last; {
		select {
		case <-t.C:
		case <-m.quit:
			last = true
		}
		err := m.once()
		if err == nil {
			row = 0
		} else {
			m.stopped.Failed++
			m.stopped.Failure = err.Error()
			if row++; row >= patience {
				_ = m.out.Ended(fmt.Errorf("%d samples in a row failed: %w", row, err)) // the other side may be gone
				<-m.quit
				return
			}
		}
		// What was missed is not made up for.
		at := now()
		for next <= at {
			next += int64(m.period) * max(1, (at-next)/int64(m.period))
		}
		t.Reset(time.Duration(next - at))
	}
}
