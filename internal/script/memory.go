package script

import "runtime/metrics"

// fallbackMemory stands for the memory of a machine that does not tell, in bytes.
const fallbackMemory = 8 << 30

// memoryMeter tells how much memory this program takes. Its methods allocate nothing: while one operation fills gigabytes, the
// garbage collector makes everybody who allocates help it first.
type memoryMeter struct {
	samples [3]metrics.Sample
	system  systemMeter
}

func newMemoryMeter() *memoryMeter {
	m := &memoryMeter{system: newSystemMeter()}
	for i, name := range []string{"/memory/classes/heap/objects:bytes", "/memory/classes/total:bytes", "/memory/classes/heap/released:bytes"} {
		m.samples[i].Name = name
	}
	return m
}

// read returns the size of all Go values, also of what the system has not backed with pages yet, and the resident size without
// pages of mapped files, which the system takes back when it needs them; both in bytes. Where the system does not tell,
// resident is what the Go runtime holds.
func (m *memoryMeter) read() (values, resident uint64) {
	metrics.Read(m.samples[:])
	var n [len(m.samples)]uint64
	for i := range m.samples {
		if m.samples[i].Value.Kind() == metrics.KindUint64 {
			n[i] = m.samples[i].Value.Uint64()
		}
	}
	resident, ok := m.system.resident()
	if !ok {
		resident = n[1] - min(n[1], n[2])
	}
	return n[0], resident
}

func (m *memoryMeter) close() { m.system.close() }
