package memory

import "runtime/metrics"

// fallbackMemory stands for the memory of a machine that does not tell, in bytes.
const fallbackMemory = 8 << 30

// Meter tells how much memory this program takes. It serves one goroutine at a time, and its methods allocate nothing:
// while one operation fills gigabytes, the garbage collector makes everybody who allocates help it first.
type Meter struct {
	samples [3]metrics.Sample
	system  systemMeter
}

// NewMeter returns a meter, which must be closed.
func NewMeter() *Meter {
	m := &Meter{system: newSystemMeter()}
	for i, name := range []string{"/memory/classes/heap/objects:bytes", "/memory/classes/total:bytes",
		"/memory/classes/heap/released:bytes"} {
		m.samples[i].Name = name
	}
	return m
}

// Read returns the size of all Go values, also of what the system has not backed with pages yet, and the resident size
// without pages of mapped files, which the system takes back when it needs them; both in bytes. Where the system does
// not tell, resident is what the Go runtime holds.
func (m *Meter) Read() (values, resident uint64) {
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

// Live is the size of the values that the last collection of garbage found in use, in bytes; 0 where there was none yet.
func Live() uint64 {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	if live[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return live[0].Value.Uint64()
}

// Close gives back what the meter holds of the system.
func (m *Meter) Close() { m.system.close() }
