package mali

import (
	"syscall"
	"time"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/uapi"
)

// ringSlots are the sample slots of a client's ring. One is kept for the sample of STOP.
const ringSlots = 32

// Flags of a sample.
const (
	flagStretched = 1 << 0
	flagError     = 1 << 30
)

// kinstr is a client of kinstr_prfcnt with its reader descriptor.
type kinstr struct {
	board *board
	pid   int
	truth *ClientTruth
	conf  config
	early bool // the defects of the first versions

	blocks []int // the instances in its samples, by index in the GPU
	acc    *accumulator
	user   uint64
	next   int64 // of the next periodic sample

	ring   []byte
	stride int // of metadata items
	slot   int // bytes of a slot
	slots  [ringSlots]*sample
	limit  int // slots in use
	// Running numbers of samples: written, fetched and returned ones. A slot is the number modulo limit.
	write, fetch, read uint64
	out                *sample // fetched and not returned
	restart            uint64  // number that sequences count from (first versions only)
	merged             int     // periods that fell together because the ring was full
	fetches            int
	closed             bool
	ready              *hwtest.Readiness
}

// newKinstr makes a client. It holds no accumulator before it is started.
func (b *board) newKinstr(pid int, conf config) *kinstr {
	k := &kinstr{board: b, pid: pid, conf: conf, limit: ringSlots, stride: metaStride, early: !b.spec.atLeast(17, 37)}
	k.truth = b.client(pid, "kinstr")
	k.truth.Periodic, k.truth.PeriodNs, k.truth.Set = conf.period != 0, conf.period, int(conf.set)
	k.truth.Enabled = conf.enable
	if b.set.Has("slow-reader") {
		k.limit = slowSlots
	}
	if b.set.Has("unknown-blocks") {
		k.stride = wideMetaStride
	}
	index := map[uint8]int{}
	for i, x := range b.gpu.instances {
		// A driver newer than any reader may say more than it was asked for.
		if conf.enable[x.typ] == [2]uint64{} && x.typ != unknownBlock {
			continue
		}
		k.blocks = append(k.blocks, i)
		t := &BlockTotal{Type: x.typ, Block: x.block, Physical: x.physical, Reported: index[x.typ],
			Values: make([]uint64, b.spec.values)}
		if k.early {
			t.Reported = x.physical
		}
		index[x.typ]++
		k.truth.Totals = append(k.truth.Totals, t)
	}
	k.slot = k.items()*k.stride + len(k.blocks)*b.spec.values*8 + b.spec.clocks*8
	k.ring = make([]byte, k.slot*ringSlots)
	b.readers = append(b.readers, k)
	return k
}

// items are the metadata items of a sample: sample, clock, blocks, terminator, and one of an unknown type from a newer
// driver.
func (k *kinstr) items() int {
	n := 3 + len(k.blocks)
	if k.stride != metaStride {
		n++
	}
	return n
}

func (k *kinstr) Attach(r *hwtest.Readiness) {
	k.board.mu.Lock()
	defer k.board.mu.Unlock()
	k.ready = r
}

func (k *kinstr) Mapping() int { return len(k.ring) }

func (k *kinstr) SetMapping(shared []byte) {
	k.board.mu.Lock()
	defer k.board.mu.Unlock()
	copy(shared, k.ring)
	k.ring = shared
	k.truth.Mapped = true
}

func (k *kinstr) Read(*hwtest.Call, int) ([]byte, error) { return nil, syscall.EINVAL }

func (k *kinstr) Ioctl(c *hwtest.Call, request uint32, arg uint64) (int64, error) {
	b := k.board
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.refused(c, k.pid); err != nil {
		return 0, err
	}
	access := uapi.Struct("prfcnt_sample_access")
	switch request {
	case uapi.Ioctl("KBASE_IOCTL_KINSTR_PRFCNT_CMD"):
		l := uapi.Struct("prfcnt_control_cmd")
		buf, err := fetchStruct(c, arg, l)
		if err != nil {
			return 0, err
		}
		note(c, "cmd %d, user_data %#x", l.Get(buf, "cmd"), l.Get(buf, "user_data"))
		return 0, k.command(int64(l.Get(buf, "cmd")), l.Get(buf, "user_data"))
	case uapi.Ioctl("KBASE_IOCTL_KINSTR_PRFCNT_GET_SAMPLE"):
		if b.set.Has("slow-reader") && k.conf.period != 0 {
			if k.fetches++; k.fetches%slowEvery == 0 {
				b.mu.Unlock()
				b.sleep(time.Duration(k.conf.period) * (slowSlots + 4))
				b.mu.Lock()
			}
		}
		buf := make([]byte, access.Size)
		err := k.get(buf)
		if e := c.Write(arg, buf); e != nil {
			return 0, e
		}
		return 0, err
	case uapi.Ioctl("KBASE_IOCTL_KINSTR_PRFCNT_PUT_SAMPLE"):
		buf, err := fetchStruct(c, arg, access)
		if err != nil {
			return 0, err
		}
		return 0, k.put(access.Get(buf, "sequence"), access.Get(buf, "sample_offset_bytes"))
	}
	return 0, syscall.EINVAL
}

func (k *kinstr) Close() {
	k.board.mu.Lock()
	defer k.board.mu.Unlock()
	k.close()
}

// close ends the client. It may still have been counting.
func (k *kinstr) close() {
	if k.closed {
		return
	}
	k.closed, k.truth.Closed = true, true
	k.truth.Unread = int(k.write - k.fetch)
	k.stop()
	k.board.drop(k)
}

// stop takes the client off the GPU.
func (k *kinstr) stop() {
	if k.acc != nil {
		k.board.gpu.detach(k.acc)
		k.acc = nil
	}
}

func (k *kinstr) due() int64 {
	if k.acc == nil {
		return 0
	}
	return k.next
}

func (k *kinstr) broken() {
	if k.ready != nil {
		k.ready.Set(true)
	}
}

// command obeys CMD.
func (k *kinstr) command(cmd int64, user uint64) error {
	now := k.board.now()
	switch cmd {
	case uapi.Const("PRFCNT_CONTROL_CMD_START"):
		return k.start(now, user)
	case uapi.Const("PRFCNT_CONTROL_CMD_STOP"):
		if k.acc == nil {
			return syscall.EINVAL
		}
		k.finish(now, user)
		return nil
	case uapi.Const("PRFCNT_CONTROL_CMD_SAMPLE_SYNC"):
		if k.acc == nil || k.conf.period != 0 {
			return syscall.EINVAL
		}
		if k.full() {
			return syscall.EBUSY
		}
		k.produce(now, user, 0)
		return nil
	case uapi.Const("PRFCNT_CONTROL_CMD_DISCARD"):
		k.discard()
		return nil
	}
	return syscall.EINVAL
}

// start begins counting from zero.
func (k *kinstr) start(now int64, user uint64) error {
	if k.acc != nil {
		return nil
	}
	if k.write-k.read >= uint64(k.limit) {
		return syscall.EBUSY
	}
	k.acc = k.board.gpu.attach(now)
	k.user, k.merged = user, 0
	k.truth.Starts++
	k.truth.Running = true
	if k.early {
		k.restart = k.write
	}
	if k.conf.period != 0 {
		k.next = alignedAfter(now, k.conf.period)
		k.board.kick()
	}
	return nil
}

// finish ends counting with a last sample, which has a slot of its own. The first versions had none to spare and lost
// that sample without a word when the ring was full, and could leave an empty sample behind.
func (k *kinstr) finish(now int64, user uint64) {
	if late := overdue(k.due(), now, k.conf.period, k.acc.from); late > 0 {
		k.merged += late
		k.truth.Merged += late
	}
	if k.write-k.read >= uint64(k.limit) {
		k.truth.Lost++
		k.board.gpu.dump(now)
	} else {
		k.produce(now, user, 0)
		if k.early && k.conf.period != 0 && k.write-k.read < uint64(k.limit) {
			k.produce(k.acc.from, user, 0)
		}
	}
	k.stop()
	k.truth.Stops++
	k.truth.Running = false
}

// full reports whether the ring has room for the sample of STOP only, in the first versions: for none.
func (k *kinstr) full() bool {
	limit := k.limit - 1
	if k.early {
		limit = k.limit
	}
	return k.write-k.read >= uint64(limit)
}

// periodic takes a periodic sample, or merges it into the next one where the ring is full.
func (k *kinstr) periodic(now int64) {
	missed := periods(k.next, now, k.conf.period)
	k.next = alignedAfter(now, k.conf.period)
	if k.full() {
		k.merged += missed
		k.truth.Merged += missed
		return
	}
	flags := uint32(0)
	if k.merged > 0 {
		// Where the sampler is late too, the periods that it missed go the same way. Without a full ring it says
		// nothing of them.
		flags = flagStretched
		k.merged += missed - 1
		k.truth.Merged += missed - 1
	}
	k.produce(now, k.user, flags)
}

// discard drops the unread samples. One that was fetched stays until it is returned.
func (k *kinstr) discard() {
	k.truth.Discarded += int(k.write - k.fetch)
	k.fetch = k.write
	if k.out == nil {
		k.read = k.write
	}
	k.signal()
}

// get fetches the oldest sample.
func (k *kinstr) get(buf []byte) error {
	if k.write == k.read {
		return syscall.EINVAL
	}
	if k.out != nil {
		return syscall.EBUSY
	}
	s := k.slots[k.fetch%uint64(k.limit)]
	l := uapi.Struct("prfcnt_sample_access")
	l.Set(buf, "sequence", s.Seq)
	l.Set(buf, "sample_offset_bytes", uint64(s.off))
	k.fetch++
	k.out = s
	k.truth.deliver(s)
	k.signal()
	return nil
}

// put returns the sample that was fetched.
func (k *kinstr) put(seq, off uint64) error {
	if k.out == nil || k.out.Seq != seq || uint64(k.out.off) != off {
		return syscall.EINVAL
	}
	k.truth.put(k.out)
	k.out = nil
	k.read = k.fetch
	return nil
}

// signal says whether a sample waits.
func (k *kinstr) signal() {
	if k.ready != nil {
		k.ready.Set(k.write != k.fetch)
	}
}
