package mali

import (
	"math"
	"math/bits"
	"syscall"
	"time"

	"astrolabe/hwio/hwtest"
)

// Requests of a reader of the first counter interface. No public header of today has them.
const (
	readerGetVersion  = 0x8004BE00
	readerGetSize     = 0x8004BE01
	readerDump        = 0x4004BE10
	readerClear       = 0x4004BE11
	readerGet         = 0x8010BE20
	readerGetCycles   = 0x8020BE20
	readerPut         = 0x4010BE21
	readerPutCycles   = 0x4020BE21
	readerInterval    = 0x4004BE30
	readerAPI         = 0x4004BEFF // numbered as if it passed something in
	readerAPIFeatures = 0x4008BEFF
)

// vinstrValues are the values of a block and vinstrBlock its bytes, whatever the hardware has.
const (
	vinstrValues = 64
	vinstrBlock  = 4 * vinstrValues
)

// lowMemory is the most buffers that fit into memory where the scenario makes it scarce.
const lowMemory = 8

// hole marks a place in a sample that belongs to no block.
const hole = -1

// vinstr answers the setup of r21 and later: the number of buffers, then the masks of front-end, shader, tiler and
// memory.
func (f *kbaseFile) vinstr(c *hwtest.Call, arg uint64) (int64, error) {
	if f.board.spec.atLeast(21, 40) {
		return 0, syscall.ENOTTY
	}
	if !f.context {
		return 0, syscall.EPERM
	}
	buf, err := fetch(c, arg, requestSize(readerSetup))
	if err != nil {
		return 0, err
	}
	k, err := f.board.newVinstr(c, buf)
	if err != nil {
		return 0, err
	}
	return f.board.install(c, k)
}

// vinstrClient is a client with its reader descriptor. It counts from its setup on.
type vinstrClient struct {
	board  *board
	pid    int
	truth  *ClientTruth
	masks  [4]uint32
	places []int // instance at each place of a sample, or hole
	blocks []int // the instances of truth.Totals
	acc    *accumulator
	period int64
	next   int64
	merged int

	ring               []byte
	size               int
	slots              []*sample
	write, fetch, read uint64
	fetches            int
	closed             bool
	ready              *hwtest.Readiness
}

// newVinstr makes a client from the five numbers of its setup.
func (b *board) newVinstr(c *hwtest.Call, setup []byte) (*vinstrClient, error) {
	n := le.Uint32(setup)
	k := &vinstrClient{board: b, pid: c.PID}
	for i := range k.masks {
		k.masks[i] = le.Uint32(setup[4+4*i:])
	}
	note(c, "%d buffers, masks %x", n, k.masks)
	switch {
	case n == 0 || n > 32 || bits.OnesCount32(n) != 1:
		return nil, syscall.EINVAL
	case b.set.Has("low-memory") && n > lowMemory:
		return nil, syscall.ENOMEM
	}
	k.places = b.gpu.places(b.spec.midgard)
	k.size = len(k.places) * vinstrBlock
	k.ring, k.slots = make([]byte, k.size*int(n)), make([]*sample, n)
	k.truth = b.client(c.PID, "vinstr")
	for _, i := range k.places {
		if i == hole {
			continue
		}
		x := b.gpu.instances[i]
		k.blocks = append(k.blocks, i)
		k.truth.Enabled[x.typ] = unpack(k.mask(x))
		k.truth.Totals = append(k.truth.Totals, &BlockTotal{
			Type: x.typ, Block: x.block, Physical: x.physical, Reported: x.physical,
			Values: make([]uint64, vinstrValues),
		})
	}
	k.acc = b.gpu.attach(b.now())
	k.truth.Starts, k.truth.Running = 1, true
	b.readers = append(b.readers, k)
	return k, nil
}

// places is the order of blocks in a sample of 32-bit values: front-end, tiler, memory, then a place for every core up
// to the highest, absent ones included; old Midgard begins with four cores and ends with the front-end.
func (g *gpu) places(midgard bool) []int {
	find := func(block string, physical int) int {
		for i, x := range g.instances {
			if x.block == block && x.physical == physical {
				return i
			}
		}
		return hole
	}
	if midgard {
		out := []int{}
		for core := range 4 {
			out = append(out, find("core", core))
		}
		return append(out, find("tiler", 0), find("memory", 0), hole, find("fe", 0))
	}
	out := []int{find("fe", 0), find("tiler", 0)}
	for slice := range g.spec.slices {
		out = append(out, find("memory", slice))
	}
	for core := range highest(g.spec.cores) + 1 {
		out = append(out, find("core", core))
	}
	return out
}

// mask is the block's enable mask: a bit for every four values.
func (k *vinstrClient) mask(x *instance) uint32 {
	switch x.block {
	case "fe":
		return k.masks[0]
	case "core":
		return k.masks[1]
	case "tiler":
		return k.masks[2]
	}
	return k.masks[3]
}

// unpack turns a mask of groups into a mask of values.
func unpack(mask uint32) [2]uint64 {
	var m [2]uint64
	for i := range 32 {
		if mask>>i&1 != 0 {
			m[i/16] |= 0xf << (i % 16 * 4)
		}
	}
	return m
}

func (k *vinstrClient) Attach(r *hwtest.Readiness) {
	k.board.mu.Lock()
	defer k.board.mu.Unlock()
	k.ready = r
}

func (k *vinstrClient) Mapping() int { return len(k.ring) }

func (k *vinstrClient) SetMapping(shared []byte) {
	k.board.mu.Lock()
	defer k.board.mu.Unlock()
	copy(shared, k.ring)
	k.ring = shared
	k.truth.Mapped = true
}

func (k *vinstrClient) Read(*hwtest.Call, int) ([]byte, error) { return nil, syscall.EINVAL }

func (k *vinstrClient) Close() {
	k.board.mu.Lock()
	defer k.board.mu.Unlock()
	k.close()
}

// close ends the client, which is how its counting stops.
func (k *vinstrClient) close() {
	if k.closed {
		return
	}
	k.closed, k.truth.Closed, k.truth.Running = true, true, false
	k.truth.Stops = 1
	k.truth.Unread = int(k.write - k.fetch)
	k.board.gpu.detach(k.acc)
	k.board.drop(k)
}

func (k *vinstrClient) due() int64 {
	if k.period == 0 {
		return 0
	}
	return k.next
}

func (k *vinstrClient) broken() {
	if k.ready != nil {
		k.ready.Set(true)
	}
}

// periodic takes a sample; where all buffers are full its counts fall to the next one, as do those of a period that
// passed before anybody looked, and nothing says so.
func (k *vinstrClient) periodic(now int64) {
	missed := periods(k.next, now, k.period)
	k.next = alignedAfter(now, k.period)
	if k.write-k.read >= uint64(len(k.slots)) {
		k.merged += missed
		k.truth.Merged += missed
		return
	}
	k.merged += missed - 1
	k.truth.Merged += missed - 1
	k.produce(now, 1)
}

func (k *vinstrClient) Ioctl(c *hwtest.Call, request uint32, arg uint64) (int64, error) {
	b := k.board
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.refused(c, k.pid); err != nil {
		return 0, err
	}
	old := b.spec.kind == driverPreR21
	switch request {
	case readerGetVersion:
		v := uint32(5)
		if b.spec.midgard {
			v = 4
		}
		return 0, c.Write(arg, le.AppendUint32(nil, v))
	case readerGetSize:
		return 0, c.Write(arg, le.AppendUint32(nil, uint32(k.size)))
	case readerDump:
		// Without a free buffer nothing is dumped, and the counts go on into the next sample.
		if k.write-k.read >= uint64(len(k.slots)) {
			return 0, syscall.EBUSY
		}
		k.produce(b.now(), 0)
		return 0, nil
	case readerClear:
		k.acc.reset(b.gpu.take(k.acc, b.now()))
		return 0, nil
	case readerInterval:
		k.setInterval(uint32(arg))
		note(c, "%d ns", uint32(arg))
		return 0, nil
	case readerAPI:
		return 0, c.Write(arg, le.AppendUint32(nil, 1))
	case readerAPIFeatures:
		if old {
			return 0, syscall.EINVAL
		}
		return 0, c.Write(arg, le.AppendUint32(le.AppendUint32(nil, 1), 1<<b.spec.clocks-1))
	case readerGet, readerGetCycles:
		if old && request == readerGetCycles {
			return 0, syscall.EINVAL
		}
		if b.set.Has("slow-reader") && k.period != 0 {
			// The timer must be able to fill every buffer and meet a full ring meanwhile.
			if k.fetches++; k.fetches%slowEvery == 0 {
				b.mu.Unlock()
				b.sleep(time.Duration(k.period) * time.Duration(len(k.slots)+4))
				b.mu.Lock()
			}
		}
		return 0, k.get(c, arg, requestSize(request))
	case readerPut, readerPutCycles:
		if old && request == readerPutCycles {
			return 0, syscall.EINVAL
		}
		return 0, k.put(c, arg, requestSize(request))
	}
	return 0, syscall.EINVAL
}

// setInterval makes the client periodic, or manual where the period is 0.
func (k *vinstrClient) setInterval(period uint32) {
	if late := overdue(k.due(), k.board.now(), k.period, k.acc.from); late > 0 {
		k.merged += late
		k.truth.Merged += late
	}
	k.period = int64(period)
	if k.period != 0 {
		k.period = max(k.period, minPeriod)
		k.next = alignedAfter(k.board.now(), k.period)
		k.board.kick()
	}
	k.truth.Periodic, k.truth.PeriodNs = k.period != 0, k.period
}

// produce puts a sample into the next buffer, which is free. event is 0 for a manual and 1 for a periodic one.
func (k *vinstrClient) produce(now int64, event uint64) {
	b := k.board
	end := b.gpu.take(k.acc, now)
	n := uint64(len(k.slots))
	s := &sample{off: int(k.write%n) * k.size}
	s.SampleTruth = SampleTruth{Seq: k.write, Start: k.acc.from, End: end, UserData: event, Merged: k.merged,
		Cycles: k.acc.clk}
	for i := b.spec.clocks; i < len(s.Cycles); i++ {
		s.Cycles[i] = 0
	}
	k.merged = 0
	slot := k.ring[s.off : s.off+k.size]
	clear(slot)
	for at, i := range k.places {
		if i == hole {
			continue
		}
		x := b.gpu.instances[i]
		mask := unpack(k.mask(x))
		values := make([]uint64, vinstrValues)
		for j := range values {
			if v := k.acc.vals[i][j]; has(mask, j) {
				// All that the interface can say; a reader that samples too seldom loses the rest.
				if values[j] = v & math.MaxUint32; values[j] != v {
					k.truth.Cut++
				}
				s.Sum += values[j]
			}
		}
		b.gpu.header(values, end, k.mask(x))
		for j, v := range values {
			le.PutUint32(slot[at*vinstrBlock+4*j:], uint32(v))
		}
		s.values, s.states = append(s.values, values), append(s.states, 0)
	}
	k.acc.reset(end)
	k.slots[k.write%n] = s
	k.truth.add(s)
	k.write++
	k.signal()
}

// get fetches the oldest sample. The first versions of the interface know no cycle counts.
func (k *vinstrClient) get(c *hwtest.Call, arg uint64, size int) error {
	if k.write == k.fetch {
		return syscall.EAGAIN
	}
	if k.fetch != k.read {
		return syscall.EBUSY
	}
	n := uint64(len(k.slots))
	s := k.slots[k.fetch%n]
	out := make([]byte, 32)
	le.PutUint64(out, uint64(s.End))
	le.PutUint32(out[8:], uint32(s.UserData))
	le.PutUint32(out[12:], uint32(k.fetch%n))
	le.PutUint64(out[16:], s.Cycles[0])
	le.PutUint64(out[24:], s.Cycles[1])
	if err := c.Write(arg, out[:size]); err != nil {
		return err
	}
	k.fetch++
	k.truth.deliver(s)
	k.signal()
	return nil
}

// put returns the sample that was fetched.
func (k *vinstrClient) put(c *hwtest.Call, arg uint64, size int) error {
	if k.fetch == k.read {
		return syscall.EPERM
	}
	buf, err := fetch(c, arg, size)
	if err != nil {
		return err
	}
	n := uint64(len(k.slots))
	if uint64(le.Uint32(buf[12:])) != k.read%n {
		return syscall.EINVAL
	}
	k.truth.put(k.slots[k.read%n])
	k.read++
	return nil
}

func (k *vinstrClient) signal() {
	if k.ready != nil {
		k.ready.Set(k.write != k.fetch)
	}
}
