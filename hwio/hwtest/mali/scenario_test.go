package mali

import (
	"errors"
	"math"
	"strings"
	"syscall"
	"testing"
	"time"

	"astrolabe/hwio/hwtest"
)

// session opens, sets up and starts a client that counts everything.
func session(t *testing.T, period time.Duration, device string, scenarios ...string) (*rig, hwtest.File) {
	t.Helper()
	r := newRig(t, device, scenarios...)
	f := r.open()
	r.shake(f)
	k := r.client(f, uint64(period))
	r.must(k, cmd, command(cmdStart, 1))
	return r, k
}

// collect lets time pass, fetching every sample at once.
func (r *rig) collect(k hwtest.File, stride int, d time.Duration) (out []got) {
	r.t.Helper()
	for end := r.clock + int64(d); r.clock < end; {
		r.pass(500 * time.Microsecond)
		out = append(out, r.drain(k, stride)...)
	}
	return out
}

// own is the account of the program's first client.
func (r *rig) own() *ClientTruth {
	for _, c := range r.truth().Clients {
		if c.PID != 0 {
			return c
		}
	}
	return nil
}

func TestAFullRingStretchesTheNextSample(t *testing.T) {
	r, k := session(t, time.Millisecond, "mali-g720")
	r.pass(40 * time.Millisecond)
	first := r.drain(k, 48)
	if len(first) != ringSlots-1 {
		t.Fatalf("%d unread samples fill the ring, want %d", len(first), ringSlots-1)
	}
	r.pass(time.Millisecond)
	s := r.drain(k, 48)[0]
	if s.flags != flagStretched || s.start != first[len(first)-1].end || s.end-s.start != 10e6 {
		t.Errorf("after the overflow: flags %#x, %d ns", s.flags, s.end-s.start)
	}
	r.pass(time.Millisecond)
	if s := r.drain(k, 48)[0]; s.flags != 0 {
		t.Errorf("the flag stays: %#x", s.flags)
	}
	if c := r.own(); c.Stretched != 1 || c.Merged != 9 || c.Samples[ringSlots-1].Merged != 9 {
		t.Errorf("truth: %d stretched, %d merged", c.Stretched, c.Merged)
	}
}

func TestASlowReaderLosesNothingButDetail(t *testing.T) {
	r, k := session(t, time.Millisecond, "mali-g720", "slow-reader")
	samples := r.collect(k, 48, 150*time.Millisecond)
	r.must(k, cmd, command(cmdStop, 0))
	samples = append(samples, r.drain(k, 48)...)
	c := r.own()
	compare(t, c, samples)
	if c.Stretched < 2 || c.Merged < c.Stretched || r.slept == 0 {
		t.Errorf("%d stretched, %d merged", c.Stretched, c.Merged)
	}
	identities(t, c, 4)
}

func TestSamplesInErrorHoldNonsenseAndTheirCountsAreLost(t *testing.T) {
	r, k := session(t, time.Millisecond, "mali-g720", "error-samples")
	samples := r.collect(k, 48, 50*time.Millisecond)
	c, n := r.own(), 0
	compare(t, c, samples)
	for i, s := range samples {
		if s.flags&flagError != 0 {
			n++
			if s.block(0, 0).values[4] < 1<<40 || c.Samples[i].Sum != 0 {
				t.Errorf("sample %d: %d", i, s.block(0, 0).values[4])
			}
		}
	}
	if n != len(samples)/errorEvery || c.Errors != n {
		t.Errorf("%d of %d samples in error, truth says %d", n, len(samples), c.Errors)
	}
}

func TestHolesInTheCoreMaskDoNotShowInIndices(t *testing.T) {
	r, k := session(t, time.Millisecond, "mali-g57")
	samples := r.collect(k, 48, 50*time.Millisecond)
	c := r.own()
	compare(t, c, samples)
	for i, physical := range []int{0, 1, 3} {
		b := c.Totals[len(c.Totals)-3+i]
		if b.Physical != physical || b.Reported != i || b.Values[26] == 0 {
			t.Errorf("core %d is %d in samples, and executed for %d", b.Physical, b.Reported, b.Values[26])
		}
	}
	if samples[0].domains != 1 || samples[0].cycles[0] == 0 || samples[0].cycles[1] != 0 {
		t.Errorf("%d clocks: %d", samples[0].domains, samples[0].cycles)
	}
	if s := samples[0].blocks[0].state; s != 0 {
		t.Errorf("JM 11.38 knows no states, but reports %#x", s)
	}
}

func TestTheFirstVersionsHaveTheirDefects(t *testing.T) {
	r, k := session(t, 0, "mali-g57", "early-kinstr")
	r.pass(time.Millisecond)
	r.must(k, cmd, command(cmdSync, 1))
	if s := r.fetch(k, 48); s.block(3, 3) == nil || s.block(3, 2) != nil {
		t.Error("cores are not numbered as in the hardware")
	}
	for range ringSlots {
		r.pass(time.Millisecond)
		r.must(k, cmd, command(cmdSync, 1))
	}
	r.pass(time.Millisecond)
	r.must(k, cmd, command(cmdStop, 2))
	if n := len(r.drain(k, 48)); n != ringSlots || r.own().Lost != 1 {
		t.Errorf("%d samples, %d lost: STOP with a full ring should lose its own", n, r.own().Lost)
	}
	r.must(k, cmd, command(cmdStart, 1))
	r.pass(time.Millisecond)
	r.must(k, cmd, command(cmdSync, 1))
	if s := r.fetch(k, 48); s.seq != 0 {
		t.Errorf("the sequence goes on at %d", s.seq)
	}

	r, k = session(t, time.Millisecond, "mali-g615", "early-kinstr")
	r.collect(k, 48, 5*time.Millisecond)
	r.must(k, cmd, command(cmdStop, 2))
	if end := r.drain(k, 48); len(end) != 2 || end[1].start != end[1].end || end[1].block(3, 0).values[53] != 0 {
		t.Errorf("STOP of a periodic client left %d samples, want an empty second one", len(end))
	}
}

func TestUnknownBlocksComeWithWiderItems(t *testing.T) {
	r, k := session(t, time.Millisecond, "mali-g720", "unknown-blocks")
	samples := r.collect(k, wideMetaStride, 20*time.Millisecond)
	compare(t, r.own(), samples)
	if s := samples[3]; s.unknown != 1 || s.block(unknownBlock, 0) == nil || s.block(6, 0) != nil {
		t.Errorf("%d unknown items, blocks %v", s.unknown, len(s.blocks))
	}
}

func TestSingleBitsOfAMaskAreWhatAClientSees(t *testing.T) {
	r := newRig(t, "mali-g720")
	f := r.open()
	r.shake(f)
	if _, err := r.setup(f, modeItem(0, 0), enableItem(3, 0, 1<<53, 0), enableItem(3, 0, 1<<4, 1<<5), enableItem(1, 0, 0, 0), endItem()); err != nil {
		t.Fatal(err)
	}
	k := r.files[0]
	r.must(k, cmd, command(cmdStart, 0))
	r.pass(50 * time.Millisecond)
	r.must(k, cmd, command(cmdSync, 0))
	s := r.fetch(k, 48)
	if len(s.blocks) != 10 {
		t.Fatalf("%d blocks, want the cores only", len(s.blocks))
	}
	v := s.blocks[0].values
	for i, x := range v {
		if want := i == 4 || i == 53 || i == 69; i >= headerValues && (x != 0) != want {
			t.Errorf("index %d is %d", i, x)
		}
	}
	// The hardware's mask has a bit per group: the header's, that of 4..7, of 52..55 and of 68..71.
	if v[2] != 1|1<<1|1<<13|1<<17 || v[3] != 0 || v[0] == 0 {
		t.Errorf("header %x", v[:4])
	}
}

func TestClientsDoNotDisturbEachOther(t *testing.T) {
	alone, ka := session(t, time.Millisecond, "mali-g720")
	want := alone.collect(ka, 48, 60*time.Millisecond)
	r, k := session(t, time.Millisecond, "mali-g720", "two-clients")
	samples := r.collect(k, 48, 60*time.Millisecond)
	c := r.own()
	compare(t, c, samples)
	for i := range want[:50] {
		if i > 0 && samples[i].start != samples[i-1].end {
			t.Fatalf("sample %d: gap", i)
		}
	}
	shared := 0
	for _, s := range samples {
		if s.end%50_000 != 0 {
			t.Fatal("a stamp of no dump")
		}
		if s.end%1e6 != 0 {
			shared++
		}
	}
	if shared == 0 {
		t.Error("no sample was served from the other client's dump")
	}
	other := r.truth().Clients[0]
	if other.PID != 0 || other.Delivered < 30 || !other.released(false) {
		t.Errorf("the other client: %d samples", other.Delivered)
	}
	// Both saw the same work, up to the ends of their last samples.
	mine, theirs := c.Totals[len(c.Totals)-1].Values[53], other.Totals[len(other.Totals)-1].Values[53]
	if ratio := float64(mine) / float64(theirs); ratio < 0.9 || ratio > 1.1 {
		t.Errorf("core 9 was active for %d and %d cycles", mine, theirs)
	}
	if r.truth().Started != 5e9 {
		t.Errorf("counting started at %d", r.truth().Started)
	}
}

func TestTheClockChangesAndSysfsSaysSo(t *testing.T) {
	r, k := session(t, 10*time.Millisecond, "mali-g720", "dvfs")
	rates := map[uint64]bool{}
	var files []string
	for range 40 {
		for _, s := range r.collect(k, 48, 10*time.Millisecond) {
			if s.end-s.start == 10e6 {
				rates[s.cycles[0]/1e5*1e5] = true
			}
		}
		files = append(files, r.m.files[platformDevice+"/devfreq/13000000.mali/cur_freq"])
	}
	for _, want := range []uint64{8.5e6, 6e6, 4e6} {
		if !rates[want] {
			t.Errorf("no sample at %d cycles: %v", want, rates)
		}
	}
	if all := strings.Join(files, ""); !strings.Contains(all, "850000000\n") || !strings.Contains(all, "400000000\n") {
		t.Errorf("cur_freq: %s", all)
	}
	identities(t, r.own(), 4)
}

func TestACoreIsOffForAWhile(t *testing.T) {
	r, k := session(t, time.Millisecond, "mali-g720", "core-off")
	samples := r.collect(k, 48, 600*time.Millisecond)
	compare(t, r.own(), samples)
	seen := map[uint32]int{}
	for _, s := range samples {
		b := s.block(3, 9)
		seen[b.state&(stateOn|stateOff)]++
		at := int64(s.end) - 5e9
		if off := at > coreOffFrom+1e6 && at <= coreOffTo; off != (b.state&stateOff != 0 && b.state&stateOn == 0) && at != coreOffFrom+1e6 {
			t.Errorf("at %d: state %#x", at, b.state)
		}
		if b.state&stateOn == 0 && b.values[53] != 0 {
			t.Errorf("at %d a core that is off counts", at)
		}
	}
	if seen[stateOff] < 290 || seen[stateOn] < 290 {
		t.Errorf("states: %v", seen)
	}
	c := r.own()
	if off, on := c.Totals[len(c.Totals)-1].Values[53], c.Totals[len(c.Totals)-2].Values[53]; off > on*6/10 {
		t.Errorf("the core that was off counted %d, its neighbour %d", off, on)
	}
}

func TestProtectedContentIsNotCounted(t *testing.T) {
	r, k := session(t, 10*time.Millisecond, "mali-g720", "protected")
	secret := 0
	for _, s := range r.collect(k, 48, time.Second) {
		b := s.block(0, 0)
		if b.state&stateProtected != 0 && b.state&stateNormal == 0 {
			secret++
			if b.values[4] != 0 || s.cycles[0] == 0 {
				t.Errorf("protected: active %d of %d", b.values[4], s.cycles[0])
			}
		}
	}
	if secret < 28 || secret > 31 {
		t.Errorf("%d protected samples", secret)
	}
}

func TestIdleAndPoweredOffGPUsGiveZeros(t *testing.T) {
	for _, scenario := range []string{"idle", "powered-off"} {
		r, k := session(t, time.Millisecond, "mali-g720", scenario)
		for _, s := range r.collect(k, 48, 20*time.Millisecond) {
			if (s.cycles[0] == 0) != (scenario == "powered-off") {
				t.Errorf("%s: %d cycles", scenario, s.cycles[0])
			}
			for _, b := range s.blocks {
				for i, v := range b.values {
					if v != 0 && (i >= headerValues || scenario == "powered-off") {
						t.Fatalf("%s: index %d is %d", scenario, i, v)
					}
				}
				if (b.state&stateOff != 0) != (scenario == "powered-off") {
					t.Errorf("%s: state %#x", scenario, b.state)
				}
			}
		}
	}
}

func TestCountersOf32BitsWrapAndSamplesDoNot(t *testing.T) {
	r, k := session(t, 2*time.Millisecond, "mali-g720", "wrap")
	samples := r.collect(k, 48, 40*time.Millisecond)
	c := r.own()
	compare(t, c, samples)
	identities(t, c, 4)
	most := uint64(0)
	for _, s := range samples {
		most = max(most, s.block(0, 0).values[4])
	}
	if most <= math.MaxUint32 {
		t.Errorf("no sample exceeds 32 bits: %d", most)
	}

	// An ordinary clock: only the start near the end of the range.
	r, k = session(t, time.Millisecond, "mali-g57", "wrap")
	r.collect(k, 48, 40*time.Millisecond)
	identities(t, r.own(), 6)
}

func TestARemovedDeviceFailsEveryCall(t *testing.T) {
	r, k := session(t, time.Millisecond, "mali-g720", "unplug")
	r.collect(k, 48, 399*time.Millisecond)
	r.pass(2 * time.Millisecond)
	if !r.ready.Ready() {
		t.Error("a poll would wait for ever")
	}
	r.fails(k, get, make([]byte, 16), syscall.ENODEV)
	r.fails(k, cmd, command(cmdStop, 0), syscall.ENODEV)
	if r.m.nodes[kbaseNode] != nil || r.truth().Removed == 0 {
		t.Error("the node is still there")
	}
	k.Close()
	if c := r.own(); !c.Closed || c.Stops != 0 || !c.released(true) || c.released(false) {
		t.Errorf("truth: %+v", c)
	}
}

func TestTheSecondarySetCountsOtherThings(t *testing.T) {
	a, ka := session(t, time.Millisecond, "mali-g720")
	a.collect(ka, 48, 50*time.Millisecond)
	r, k := session(t, time.Millisecond, "mali-g720", "secondary-set")
	samples := r.collect(k, 48, 50*time.Millisecond)
	compare(t, r.own(), samples)
	if samples[0].blocks[0].set != 1 || r.own().Set != 1 {
		t.Error("the set is not said")
	}
	if r.own().Totals[0].Values[16]*3 > a.own().Totals[0].Values[16]*2 {
		t.Error("both sets count the same")
	}
}

func TestGPUActiveOfG615IsUnusable(t *testing.T) {
	r, k := session(t, time.Millisecond, "mali-g615")
	r.collect(k, 48, 100*time.Millisecond)
	c := r.own()
	identities(t, c, 6)
	if v := c.Totals[0].Values; v[4] <= c.Cycles[0] {
		t.Errorf("GPU_ACTIVE is a plausible %d of %d", v[4], c.Cycles[0])
	}
}

func TestOpeningCanBeDenied(t *testing.T) {
	r := newRig(t, "mali-g720", "denied-open")
	if !errors.Is(r.m.fails[kbaseNode], syscall.EACCES) {
		t.Errorf("%v", r.m.fails)
	}
}

func TestTheTreeLooksLikeABoards(t *testing.T) {
	r := newRig(t, "mali-g57")
	for path, want := range map[string]string{
		"/gpuinfo": "Mali-G57 3 cores r0p1 0x9093\n", "/core_mask": "Current core mask : 0xB\nAvailable core mask : 0xB\n", "/clock": "950000000\n",
	} {
		if got := r.m.files[platformDevice+path]; got != want {
			t.Errorf("%s: %q", path, got)
		}
	}
	if r.m.links["/sys/class/misc/mali0"] == "" || r.m.links["/sys/class/devfreq/13000000.mali"] == "" || r.m.files[thermalZone+"/temp"] == "" {
		t.Error("links or the temperature are missing")
	}
}

func TestTheSameSeedGivesTheSameWork(t *testing.T) {
	sum := func(seed uint64) uint64 {
		m := newFakeMachine()
		m.settings.Seed = seed
		g := newGPU(specs()[1], &m.settings, 0)
		a := g.attach(0)
		g.dump(1e8)
		return a.vals[len(a.vals)-1][53]
	}
	if a, again, b := sum(3), sum(3), sum(4); a != again || a == b {
		t.Errorf("seed 3: %d and %d, seed 4: %d", a, again, b)
	}
}
