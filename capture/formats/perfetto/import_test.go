package perfetto

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"astrolabe/capture"
)

// tracer writes the packets of other programs.
type tracer struct{ out message }

func (w *tracer) packet(f func(p *message)) {
	var p message
	f(&p)
	w.out.message(1, p)
}

func gpuSpec(id uint64, name string, f func(s *message)) message {
	var s message
	s.uint(1, id)
	s.text(2, name)
	if f != nil {
		f(&s)
	}
	return s
}

func gpuDescription() message {
	var d, block message
	d.message(1, gpuSpec(1, "GPU active cycles", func(s *message) { s.text(3, "cycles with work"); s.uint(10, 1) }))
	d.message(1, gpuSpec(2, "Bandwidth", func(s *message) { s.uint(7, 9); s.uint(8, 22) }))
	d.message(1, gpuSpec(3, "Busy", func(s *message) { s.uint(7, 37); s.message(10, message{6, 2}) }))
	d.message(1, gpuSpec(4, "Slow", nil))
	block.uint(1, 1)
	block.text(3, "L2")
	block.message(5, message{2})
	d.message(2, block)
	return d
}

// gpuTrace is what a producer of gpu.counters writes, with its descriptor inline or interned. Values come every 10 ns,
// those of Slow every 20.
func gpuTrace(inline bool) []byte {
	w := &tracer{}
	w.packet(func(p *message) {
		var e, interned, data message
		p.uint(10, 7)
		p.uint(13, 1)
		if inline {
			e.message(1, gpuDescription())
			p.message(52, e)
			return
		}
		interned.uint(1, 3)
		interned.message(2, gpuDescription())
		data.message(47, interned)
		p.message(12, data)
	})
	value := func(id uint64, n uint64, double bool) (m message) {
		m.uint(1, id)
		if double {
			m.double(3, math.Float64bits(float64(n)/2))
		} else {
			m.uint(2, n)
		}
		return m
	}
	// The packets come out of order, as those of several threads do.
	for _, at := range []uint64{1000, 1020, 1010, 1030, 1040} {
		w.packet(func(p *message) {
			var e message
			p.uint(8, at)
			p.uint(10, 7)
			e.message(2, value(1, at, false))
			e.message(2, value(2, at, true))
			e.message(2, value(3, at/100, false))
			if at%20 == 0 {
				e.message(2, value(4, at, false))
			}
			if !inline {
				e.uint(4, 3)
			}
			p.message(52, e)
		})
	}
	return w.out
}

func packed(trace []byte) []byte {
	var buf bytes.Buffer
	z := zlib.NewWriter(&buf)
	if _, err := z.Write(trace); err != nil {
		panic(err)
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	w := &tracer{}
	w.packet(func(p *message) { p.message(50, buf.Bytes()) })
	return w.out
}

func check(t *testing.T, c *capture.Capture, name, want string) {
	t.Helper()
	ctr := c.Counter(name)
	if ctr == nil {
		t.Errorf("no counter %q", name)
		return
	}
	if got := fmt.Sprint(values(ctr), " ", ctr.Kind, " ", ctr.Unit, " ", ctr.Block); got != want {
		t.Errorf("%s: %s, want %s", name, got, want)
	}
}

func TestGPUCountersOfAProducerAreRead(t *testing.T) {
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	zpacked := &tracer{}
	zpacked.packet(func(p *message) { p.message(133, z.EncodeAll(gpuTrace(true), nil)) })
	for name, data := range map[string][]byte{"inline": gpuTrace(true), "interned": gpuTrace(false),
		"deflated": packed(gpuTrace(true)), "zstd": zpacked.out} {
		t.Run(name, func(t *testing.T) {
			c := mustDecode(t, data)
			if got := fmt.Sprint(c.Axis.Start, c.Axis.End); got != "[0 10 20 30] [10 20 30 40]" {
				t.Errorf("axis %s", got)
			}
			check(t, c, "GPU active cycles", "[1010 1020 1030 1040] delta  system")
			check(t, c, "Bandwidth", "[505 510 515 520] gauge MB/s L2")
			check(t, c, "Busy", "[10 10 10 10] gauge percent compute")
			check(t, c, "Slow", "[510 510 520 520] delta  ")
			if d := c.Counter("GPU active cycles").Doc; d != "cycles with work" {
				t.Errorf("doc %q", d)
			}
			if len(c.Warnings) > 0 {
				t.Errorf("warnings %q", c.Warnings)
			}
		})
	}
}

func TestSeveralGPUsBecomeInstances(t *testing.T) {
	w := &tracer{}
	for gpu := range uint64(2) {
		for at := range uint64(3) {
			w.packet(func(p *message) {
				var e, v message
				p.uint(8, 100+at*10)
				if at == 0 {
					e.message(1, gpuDescription())
				}
				v.uint(1, 1)
				v.uint(2, at+gpu*10)
				e.message(2, v)
				e.uint(3, gpu)
				p.message(52, e)
			})
		}
	}
	c := mustDecode(t, w.out)
	ctr := c.Counter("GPU active cycles")
	if ctr == nil || len(ctr.Instances) != 2 || ctr.Instances[1].Device != "gpu1" ||
		fmt.Sprint(values(ctr)) != "[12 14]" {
		t.Fatalf("counter %+v", ctr)
	}
}

// chromeTrace has counter tracks of a process and a thread, one incremental with a multiplier, on an incremental clock
// of the sequence.
func chromeTrace() []byte {
	w := &tracer{}
	w.packet(func(p *message) {
		var snap, own, boot, defaults message
		p.uint(8, 5000)
		p.uint(10, 3)
		p.uint(13, 1)
		own.uint(1, 64)
		own.uint(2, 2)
		own.uint(3, 1)
		own.uint(4, 1000)
		boot.uint(1, 6)
		boot.uint(2, 5000)
		snap.message(1, own)
		snap.message(1, boot)
		p.message(6, snap)
		defaults.uint(58, 64)
		p.message(59, defaults)
	})
	track := func(id, parent uint64, name string, counter message) {
		w.packet(func(p *message) {
			var d message
			d.uint(1, id)
			d.text(2, name)
			if parent != 0 {
				d.uint(5, parent)
			}
			if counter != nil {
				d.message(8, counter)
			}
			p.message(60, d)
		})
	}
	var bytesCounter, timeCounter message
	bytesCounter.uint(3, 3)
	timeCounter.uint(3, 1)
	timeCounter.uint(4, 1000)
	timeCounter.uint(5, 1)
	track(1, 0, "browser", nil)
	track(2, 1, "heap", bytesCounter)
	track(3, 1, "thread time", timeCounter)
	for i := range uint64(3) {
		w.packet(func(p *message) {
			var e message
			p.uint(8, 4) // 4 us after the one before
			p.uint(10, 3)
			e.uint(9, 4)
			e.uint(11, 2)
			e.uint(30, 100+i)
			if i != 1 {
				e.message(31, message{3})
				e.message(12, message{5})
			}
			p.message(11, e)
		})
	}
	return w.out
}

func TestCounterTracksHoldUntilTheirNextValue(t *testing.T) {
	c := mustDecode(t, chromeTrace())
	if got := fmt.Sprint(c.Axis.Start, c.Axis.End); got != "[0 4000 8000] [4000 8000 12000]" {
		t.Errorf("axis %s", got)
	}
	check(t, c, "heap", "[100 101 102] gauge bytes browser")
	check(t, c, "thread time", "[5000 5000 10000] gauge ns browser")
}

func TestPacketsWithoutAKnownClockAreCounted(t *testing.T) {
	w := &tracer{out: gpuTrace(true)}
	w.packet(func(p *message) {
		var e message
		p.uint(8, 1)
		p.uint(58, 99)
		e.uint(9, 4)
		e.uint(11, 5)
		e.uint(30, 1)
		p.message(11, e)
	})
	c := mustDecode(t, w.out)
	if !strings.Contains(strings.Join(c.Warnings, "\n"), "1 packets are left out") {
		t.Errorf("warnings %q", c.Warnings)
	}
}

func TestCompressedPacketsMayNotGrowWithoutBound(t *testing.T) {
	bomb := packed(make([]byte, mostUnpacked+1))
	if _, err := decodeBytes(bomb); err == nil || !strings.Contains(err.Error(), "more than") &&
		!strings.Contains(err.Error(), "damaged") {
		t.Errorf("error %v", err)
	}
	if _, err := decodeBytes(packed(packed(gpuTrace(true)))); err == nil ||
		!strings.Contains(err.Error(), "hold compressed ones") {
		t.Errorf("error %v", err)
	}
}
