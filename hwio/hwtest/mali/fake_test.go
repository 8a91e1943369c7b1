package mali

import (
	"encoding/binary"
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/uapi"
)

// fakeMachine keeps the tree in maps.
type fakeMachine struct {
	settings hwtest.Settings
	files    map[string]string
	links    map[string]string
	nodes    map[string]hwtest.Node
	fails    map[string]error
	removed  []string
}

func newFakeMachine(scenarios ...string) *fakeMachine {
	return &fakeMachine{
		settings: hwtest.Settings{Scenarios: scenarios, Seed: 1},
		files:    map[string]string{}, links: map[string]string{}, nodes: map[string]hwtest.Node{}, fails: map[string]error{},
	}
}

func (m *fakeMachine) Settings() *hwtest.Settings { return &m.settings }
func (m *fakeMachine) Own(string)                 {}
func (m *fakeMachine) File(path, content string)  { m.files[path] = content }
func (m *fakeMachine) Dir(string)                 {}
func (m *fakeMachine) Link(path, target string)   { m.links[path] = target }
func (m *fakeMachine) Node(path string, major, minor uint32, mode uint32, n hwtest.Node) {
	m.nodes[path] = n
}
func (m *fakeMachine) Fail(path string, errno error) { m.fails[path] = errno }
func (m *fakeMachine) Watch(string, func())          {}
func (m *fakeMachine) Remove(path string) {
	m.removed = append(m.removed, path)
	for p := range m.nodes {
		if strings.HasPrefix(p, path) {
			delete(m.nodes, p)
		}
	}
}

// memory is a program's memory from address 0x1000 on.
type memory []byte

const memoryBase = 0x1000

func (m memory) at(addr uint64, n int) ([]byte, error) {
	if addr < memoryBase || addr-memoryBase+uint64(n) > uint64(len(m)) {
		return nil, syscall.EFAULT
	}
	return m[addr-memoryBase:][:n], nil
}

func (m memory) Read(addr uint64, b []byte) error {
	p, err := m.at(addr, len(b))
	copy(b, p)
	return err
}

func (m memory) Write(addr uint64, b []byte) error {
	p, err := m.at(addr, len(b))
	copy(p, b)
	return err
}

// rig is a board on a fake machine whose clock a test moves.
type rig struct {
	t       *testing.T
	m       *fakeMachine
	b       *board
	mem     memory
	clock   int64
	slept   time.Duration
	pid     int
	files   []hwtest.File
	mapping []byte
	ready   *hwtest.Readiness
}

func newRig(t *testing.T, device string, scenarios ...string) *rig {
	t.Helper()
	for _, s := range specs() {
		if s.name != device {
			continue
		}
		for _, want := range scenarios {
			if !hasScenario(s, want) {
				t.Fatalf("%s has no scenario %s", device, want)
			}
		}
		r := &rig{t: t, m: newFakeMachine(scenarios...), b: newBoard(s), mem: make(memory, 1<<20), clock: 5e9, pid: 7}
		r.b.now = func() int64 { return r.clock }
		r.b.sleep = func(d time.Duration) { r.slept += d; r.pass(d) }
		r.b.timed = false
		if err := r.b.Start(r.m); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(r.b.Stop)
		return r
	}
	t.Fatalf("no model is called %s", device)
	return nil
}

func hasScenario(s spec, name string) bool {
	for _, x := range s.scenarios() {
		if x.Name == name {
			return true
		}
	}
	return false
}

// pass lets time go by in steps of 50 microseconds, as the model's goroutine would.
func (r *rig) pass(d time.Duration) {
	for end := r.clock + int64(d); r.clock < end; {
		r.clock = min(r.clock+50_000, end)
		r.b.mu.Lock()
		r.b.tick(r.clock)
		r.b.mu.Unlock()
	}
}

func (r *rig) call() *hwtest.Call {
	return &hwtest.Call{
		PID: r.pid, TID: r.pid, Memory: r.mem,
		Install: func(f hwtest.File, cloexec, nonblock bool) (int64, error) {
			r.files = append(r.files, f)
			if m, ok := f.(hwtest.Mappable); ok {
				r.mapping = make([]byte, m.Mapping())
				m.SetMapping(r.mapping)
			}
			if p, ok := f.(hwtest.Pollable); ok {
				r.ready = hwtest.NewReadiness(nil)
				p.Attach(r.ready)
			}
			return int64(600 + len(r.files)), nil
		},
	}
}

func (r *rig) open() hwtest.File {
	r.t.Helper()
	n := r.m.nodes[r.b.node()]
	if n == nil {
		r.t.Fatalf("there is no node %s", r.b.node())
	}
	f, err := n.Open(r.call(), 0)
	if err != nil {
		r.t.Fatal(err)
	}
	return f
}

// ioctl passes a structure in the program's memory and copies it back.
func (r *rig) ioctl(f hwtest.File, request uint32, arg []byte) (int64, error) {
	copy(r.mem, arg)
	n, err := f.Ioctl(r.call(), request, memoryBase)
	copy(arg, r.mem)
	return n, err
}

// must is an ioctl that has to succeed.
func (r *rig) must(f hwtest.File, request uint32, arg []byte) int64 {
	r.t.Helper()
	n, err := r.ioctl(f, request, arg)
	if err != nil {
		r.t.Fatalf("%s: %v", uapi.IoctlName(request), err)
	}
	return n
}

// fails is an ioctl that has to fail with an error.
func (r *rig) fails(f hwtest.File, request uint32, arg []byte, want error) {
	r.t.Helper()
	if _, err := r.ioctl(f, request, arg); !errors.Is(err, want) {
		r.t.Errorf("%s: error %v, want %v", uapi.IoctlName(request), err, want)
	}
}

func (r *rig) truth() *Truth { return r.b.Truth().(*Truth) }

var (
	nr52  = uapi.Ioctl("KBASE_IOCTL_VERSION_CHECK")
	nr0   = uapi.Ioctl("KBASE_IOCTL_VERSION_CHECK_RESERVED")
	flags = uapi.Ioctl("KBASE_IOCTL_SET_FLAGS")
	props = uapi.Ioctl("KBASE_IOCTL_GET_GPUPROPS")
	enum  = uapi.Ioctl("KBASE_IOCTL_KINSTR_PRFCNT_ENUM_INFO")
	setup = uapi.Ioctl("KBASE_IOCTL_KINSTR_PRFCNT_SETUP")
	cmd   = uapi.Ioctl("KBASE_IOCTL_KINSTR_PRFCNT_CMD")
	get   = uapi.Ioctl("KBASE_IOCTL_KINSTR_PRFCNT_GET_SAMPLE")
	put   = uapi.Ioctl("KBASE_IOCTL_KINSTR_PRFCNT_PUT_SAMPLE")
)

const (
	cmdStart, cmdStop, cmdSync, cmdDiscard = 1, 2, 3, 5
)

// shake opens a session in the form that the driver has.
func (r *rig) shake(f hwtest.File) {
	r.t.Helper()
	request := nr52
	if r.b.spec.kind == driverJM {
		request = nr0
	}
	r.must(f, request, make([]byte, 4))
	r.must(f, flags, []byte{2, 0, 0, 0})
}

// request is one item of a setup.
func request(typ uint16, version uint16, union ...byte) []byte {
	b := make([]byte, 32)
	le.PutUint16(b, typ)
	le.PutUint16(b[2:], version)
	copy(b[8:], union)
	return b
}

func modeItem(mode byte, period uint64) []byte {
	b := request(0x1000, 0, mode)
	le.PutUint64(b[16:], period)
	return b
}

func enableItem(block, set byte, lo, hi uint64) []byte {
	b := request(0x1001, 0, block, set)
	le.PutUint64(b[16:], lo)
	le.PutUint64(b[24:], hi)
	return b
}

func endItem() []byte { return make([]byte, 32) }

// set makes a client.
func (r *rig) setup(f hwtest.File, items ...[]byte) (int64, error) {
	arg := make([]byte, 16)
	r.must(f, enum, arg)
	clear(arg)
	le.PutUint32(arg, uint32(len(items)))
	le.PutUint32(arg[4:], 32)
	le.PutUint64(arg[8:], memoryBase+0x1000)
	for i, it := range items {
		copy(r.mem[0x1000+32*i:], it)
	}
	return r.ioctl(f, setup, arg)
}

// client makes one that counts everything; period 0 is a manual one.
func (r *rig) client(f hwtest.File, period uint64) hwtest.File {
	r.t.Helper()
	all, set := ^uint64(0), byte(r.b.counterSet())
	mode := modeItem(0, 0)
	if period != 0 {
		mode = modeItem(1, period)
	}
	_, err := r.setup(f, mode, enableItem(0, set, all, all), enableItem(1, set, all, all), enableItem(2, set, all, all), enableItem(3, set, all, all), endItem())
	if err != nil {
		r.t.Fatalf("setup: %v", err)
	}
	return r.files[len(r.files)-1]
}

func command(c uint16, user uint64) []byte {
	b := make([]byte, 16)
	le.PutUint16(b, c)
	le.PutUint64(b[8:], user)
	return b
}

// got is a sample as the program finds it in its mapping, taken apart by hand.
type got struct {
	start, end, seq, user uint64
	flags                 uint32
	domains               uint32
	cycles                [2]uint64
	blocks                []gotBlock
	unknown               int // items of other types
}

type gotBlock struct {
	typ, idx, set byte
	state         uint32
	values        []uint64
}

func (g *got) block(typ, idx byte) *gotBlock {
	for i := range g.blocks {
		if g.blocks[i].typ == typ && g.blocks[i].idx == idx {
			return &g.blocks[i]
		}
	}
	return nil
}

// read takes a sample apart at its offset.
func (r *rig) read(off uint64, stride int) got {
	r.t.Helper()
	g := got{}
	u64 := func(b []byte, off int) uint64 { return binary.LittleEndian.Uint64(b[off:]) }
	for at := int(off); ; at += stride {
		it := r.mapping[at:]
		switch le.Uint16(it) {
		case 0:
			return g
		case 0x2000:
			g.start, g.end, g.seq, g.user, g.flags = u64(it, 8), u64(it, 16), u64(it, 24), u64(it, 32), le.Uint32(it[40:])
		case 0x2001:
			g.domains, g.cycles = le.Uint32(it[8:]), [2]uint64{u64(it, 16), u64(it, 24)}
		case 0x2002:
			b := gotBlock{typ: it[8], idx: it[9], set: it[10], state: le.Uint32(it[12:])}
			values := r.mapping[le.Uint32(it[16:]):]
			for i := range r.b.spec.values {
				b.values = append(b.values, u64(values, 8*i))
			}
			g.blocks = append(g.blocks, b)
		default:
			g.unknown++
		}
	}
}

// fetch gets, reads and returns a sample.
func (r *rig) fetch(k hwtest.File, stride int) got {
	r.t.Helper()
	access := make([]byte, 16)
	r.must(k, get, access)
	g := r.read(le.Uint64(access[8:]), stride)
	if g.seq != le.Uint64(access) {
		r.t.Errorf("sample %d says that it is %d", le.Uint64(access), g.seq)
	}
	r.must(k, put, access)
	return g
}

// drain fetches everything that waits.
func (r *rig) drain(k hwtest.File, stride int) []got {
	r.t.Helper()
	var out []got
	for r.ready.Ready() {
		out = append(out, r.fetch(k, stride))
	}
	return out
}
