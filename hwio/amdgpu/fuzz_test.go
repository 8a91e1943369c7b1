package amdgpu

import (
	"context"
	"math"
	"testing"

	"astrolabe/capture"
	"astrolabe/hwio"
)

func FuzzTexts(f *testing.F) {
	f.Add([]byte("drm-driver:\tamdgpu\ndrm-pdev:\t0000:03:00.0\ndrm-client-id:\t9\ndrm-engine-gfx:\t1000 ns\ndrm-memory-vram:\t64 KiB\n"))
	f.Add([]byte("0: 852Mhz \n1: 1200Mhz *\n"))
	f.Add([]byte("1000 2000 256\n"))
	f.Add([]byte("12 (a) b) S 7 1 1\n"))
	f.Add([]byte("16.0 GT/s PCIe"))
	f.Fuzz(func(t *testing.T, data []byte) {
		parseClient(data)
		if parentOf(data) > math.MaxInt {
			t.Fatal("a process number out of range")
		}
		for _, v := range []float64{wholeNumber(data), leadingNumber(data), activeLevel(data)} {
			if math.IsInf(v, 0) {
				t.Fatalf("%q is infinite", data)
			}
		}
		bandwidth(data)
	})
}

func FuzzDevInfo(f *testing.F) {
	f.Add(make([]byte, devInfoSize))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < devInfoSize {
			return
		}
		i := parseDevInfo(data)
		if regs := bitsOf(generationOf(i.family, i.externalRev)); len(regs) == 0 || regs[0].bits[0].name != "gfx" {
			t.Fatalf("family %d has no status bit of the graphics pipe", i.family)
		}
		if name := chipName(i.family, i.externalRev); name != "" && i.family != familyGC115 {
			t.Fatalf("family %d is called %s", i.family, name)
		}
	})
}

func BenchmarkRegisterSample(b *testing.B) {
	g := &gpu{node: newFakeDriver(), info: &devInfo{family: familyAI}}
	regs, _ := readable(g, bitsOf(gfx9))
	s := newSampler(g, regs, 1000)
	b.ReportAllocs()
	for b.Loop() {
		s.sample()
	}
}

func BenchmarkTick(b *testing.B) {
	tr := newTree(b)
	tr.write(tr.gpu("0")+"/gpu_metrics", metricsTable(1))
	st, err := tr.source(newFakeDriver()).Open(context.Background(), hwio.Request{Options: map[string]string{"refresh": "10s", "rate": "1"}})
	if err != nil {
		b.Fatal(err)
	}
	defer st.Close()
	batch := capture.NewBatch(st.Schema(), 2)
	b.ReportAllocs()
	for b.Loop() {
		if err := st.Read(context.Background(), batch); err != nil {
			b.Fatal(err)
		}
		batch.Reset()
	}
	b.ReportMetric(float64(len(st.Schema().Columns)), "columns")
}
