package mali

import (
	"syscall"
	"testing"
	"time"
)

func TestG720ASampledRunAddsUpToTheTruth(t *testing.T) {
	r := newRig(t, "mali-g720")
	f := r.open()
	r.shake(f)
	k := r.client(f, 1e6)
	r.must(k, cmd, command(cmdStart, 11))
	var samples []got
	for range 200 {
		r.pass(time.Millisecond)
		samples = append(samples, r.drain(k, 48)...)
	}
	r.must(k, cmd, command(cmdStop, 12))
	samples = append(samples, r.drain(k, 48)...)
	k.Close()
	f.Close()

	truth := r.truth()
	c := truth.Clients[0]
	if c.Delivered != len(samples) || c.Returned != len(samples) || c.Produced != len(samples) || len(samples) < 199 {
		t.Fatalf("%d samples, truth says produced %d, delivered %d, returned %d", len(samples), c.Produced, c.Delivered, c.Returned)
	}
	if !truth.Released || c.Running || c.Outstanding || !c.Closed || c.Stops != 1 {
		t.Errorf("not everything is released: %+v", c)
	}
	compare(t, c, samples)
	last := uint64(0)
	for i, s := range samples {
		if i > 0 && s.start != last {
			t.Errorf("sample %d starts at %d, the one before ended at %d", i, s.start, last)
		}
		last = s.end
		want := uint64(11)
		if i == len(samples)-1 {
			want = 12
		}
		if s.user != want || s.domains != 2 {
			t.Errorf("sample %d: user data %d, want %d; %d clocks", i, s.user, want, s.domains)
		}
		if b := s.block(3, 9); b == nil || b.state != stateOn|stateAvailable|stateNormal {
			t.Fatalf("sample %d: core 9 is %+v", i, b)
		}
		if s.block(4, 0) != nil {
			t.Fatalf("sample %d has a block that nobody asked for", i)
		}
	}
	identities(t, c, 4)
}

// compare adds up samples and compares with the totals.
func compare(t *testing.T, c *ClientTruth, samples []got) {
	t.Helper()
	for _, b := range c.Totals {
		sum := make([]uint64, len(b.Values))
		for _, s := range samples {
			g := s.block(b.Type, byte(b.Reported))
			if g == nil {
				t.Fatalf("a sample lacks %s %d", b.Block, b.Reported)
			}
			if s.flags&flagError != 0 {
				continue
			}
			for i, v := range g.values[headerValues:] {
				sum[headerValues+i] += v
			}
		}
		for i, v := range sum {
			if v != b.Values[i] {
				t.Fatalf("%s %d index %d: samples sum up to %d, truth is %d", b.Block, b.Physical, i, v, b.Values[i])
			}
		}
	}
}

// identities checks that totals could be those of a GPU: parts are no more than the whole. active is the index of the front-end's
// counter of active cycles.
func identities(t *testing.T, c *ClientTruth, active int) {
	t.Helper()
	for _, b := range c.Totals {
		v := b.Values
		switch b.Block {
		case "fe":
			if v[active] == 0 || v[active] > c.Cycles[0] {
				t.Errorf("GPU active for %d of %d cycles", v[active], c.Cycles[0])
			}
		case "tiler":
			if culled := v[11] + v[12] + v[13] + v[14]; v[4] == 0 || v[6] < culled {
				t.Errorf("%d triangles, of which %d are accounted for", v[6], culled)
			}
		case "core":
			most := v[53]
			if active == 6 {
				most = v[4] + v[22] + v[26]/8 // job managers' cores do not count the cycles in which they do anything
			}
			if most == 0 || v[4] > most || v[22] > most || v[26] > most || v[4]+v[22] < most*17/20 {
				t.Errorf("core %d: any %d, fragment %d, compute %d, execution %d", b.Physical, most, v[4], v[22], v[26])
			}
		}
	}
}

func TestEveryGenerationObeysItsIdentities(t *testing.T) {
	for device, active := range map[string]int{"mali-g57": 6, "mali-g76": 6, "mali-g78": 6, "mali-g710": 4, "mali-g615": 6, "mali-g720": 4, "mali-g925": 4, "mali-g1": 4} {
		r, k := session(t, time.Millisecond, device)
		samples := r.collect(k, 48, 50*time.Millisecond)
		if len(samples) < 40 {
			t.Errorf("%s: %d samples", device, len(samples))
		}
		compare(t, r.own(), samples)
		identities(t, r.own(), active)
	}
}

func TestCommandsKeepTheirRules(t *testing.T) {
	r := newRig(t, "mali-g720")
	f := r.open()
	r.shake(f)
	k := r.client(f, 0)
	access := make([]byte, 16)
	r.fails(k, cmd, command(cmdStop, 0), syscall.EINVAL)
	r.fails(k, cmd, command(cmdSync, 0), syscall.EINVAL)
	r.fails(k, cmd, command(4, 0), syscall.EINVAL)
	r.fails(k, get, access, syscall.EINVAL)
	r.must(k, cmd, command(cmdStart, 1))
	r.pass(3 * time.Millisecond)
	r.must(k, cmd, command(cmdStart, 2)) // no effect
	if r.ready.Ready() {
		t.Error("readable before there is a sample")
	}
	for i := range ringSlots - 1 {
		r.pass(time.Millisecond)
		r.must(k, cmd, command(cmdSync, uint64(100+i)))
	}
	r.fails(k, cmd, command(cmdSync, 0), syscall.EBUSY)
	r.must(k, cmd, command(cmdStop, 9)) // has a slot of its own
	r.fails(k, cmd, command(cmdStart, 0), syscall.EBUSY)

	r.must(k, get, access)
	first := r.read(le.Uint64(access[8:]), 48)
	if first.user != 100 || first.start != 5e9 || first.end != 5e9+4e6 {
		t.Errorf("first sample is %d from %d to %d", first.user, first.start, first.end)
	}
	r.fails(k, get, make([]byte, 16), syscall.EBUSY)
	wrong := append([]byte{}, access...)
	wrong[0]++
	r.fails(k, put, wrong, syscall.EINVAL)
	wrong[0]--
	wrong[8]++
	r.fails(k, put, wrong, syscall.EINVAL)

	r.must(k, cmd, command(cmdDiscard, 0))
	if r.ready.Ready() {
		t.Error("readable after everything was discarded")
	}
	if again := r.read(le.Uint64(access[8:]), 48); again.user != 100 {
		t.Error("the fetched sample did not survive the discarding")
	}
	r.must(k, put, access)
	r.fails(k, put, access, syscall.EINVAL)
	r.fails(k, get, access, syscall.EINVAL)
	if c := r.truth().Clients[0]; c.Produced != 32 || c.Delivered != 1 || c.Discarded != 31 || c.Unread != 0 {
		t.Errorf("truth: %+v", c)
	}
	r.must(k, cmd, command(cmdStart, 3))
	r.pass(time.Millisecond)
	r.must(k, cmd, command(cmdSync, 55))
	if s := r.fetch(k, 48); s.user != 55 || s.seq != 32 {
		t.Errorf("after the second start: sample %d of %d", s.seq, s.user)
	}
	r.fails(k, 0xdead, nil, syscall.EINVAL)
}
