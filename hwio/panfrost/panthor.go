package panfrost

import (
	"encoding/binary"
	"fmt"

	"astrolabe/hwio"
	"astrolabe/hwio/internal/mali"
)

// panthorProblem says what the running kernel's panthor lacks. It asks the driver for the description that the proposed
// counter interface would give.
func panthorProblem(k mali.Kernel, path, kernel string) *hwio.Problem {
	p := &hwio.Problem{Fix: "use the vendor's kernel with Arm's own driver (--source kbase), whose counters astrolabe reads"}
	running := "the running kernel"
	if kernel != "" {
		running += " (" + kernel + ")"
	}
	lacks := "it lacks the query PERF_INFO and the request PERF_CONTROL, which have been proposed but are not in mainline Linux up to 7.2"
	dev, err := k.Open(path, true)
	if err != nil {
		p.Reason = fmt.Sprintf("the GPU is driven by panthor, which has no counter interface in mainline Linux up to 7.2; %s could not be asked (%s: %v)", running, path, err)
		return p
	}
	defer dev.Close()
	arg := make([]byte, 16)
	binary.LittleEndian.PutUint32(arg, panthorPerfInfo)
	_, err = dev.Request(reqPanthorQuery, arg)
	size := binary.LittleEndian.Uint32(arg[4:])
	switch {
	case err != nil:
		p.Reason = fmt.Sprintf("the GPU is driven by panthor, and %s has no counter interface for it: %s (DEV_QUERY of type %d: %v)", running, lacks, panthorPerfInfo, err)
	case size != panthorPerfInfoSize:
		p.Reason = fmt.Sprintf("the GPU is driven by panthor, and %s answers DEV_QUERY of type %d with %d bytes, which is not the proposed PERF_INFO of %d", running, panthorPerfInfo, size, panthorPerfInfoSize)
	default:
		p.Reason = fmt.Sprintf("the GPU is driven by panthor with the proposed counter interface (PERF_INFO) patched into %s; that interface is not settled, so astrolabe does not use it", running)
	}
	return p
}
