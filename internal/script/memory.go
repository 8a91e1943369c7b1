package script

import "runtime/metrics"

// fallbackMemory stands for the memory of a machine that does not tell, in bytes.
const fallbackMemory = 8 << 30

// goMemory is the memory that the Go runtime holds and has not given back to the system, in bytes.
func goMemory() uint64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	for _, s := range samples {
		if s.Value.Kind() != metrics.KindUint64 {
			return 0
		}
	}
	return samples[0].Value.Uint64() - samples[1].Value.Uint64()
}
