//go:build amd64 || arm64

package main

import (
	"strings"

	"github.com/ebitengine/purego"

	"astrolabe/hwio/internal/vendorproc"
)

// Bounds of what a library may claim to have.
const (
	mostCounters   = 1 << 16
	mostDimensions = 64
	mostInstances  = 1 << 20
)

// What the callbacks below found.
var (
	foundCounters   []uint64
	foundDimensions []vendorproc.Dimension
	// Callbacks are made once: there is room for some thousand in a process.
	counterCallback, dimensionCallback uintptr
)

// listCounters asks for the counters of the agent that is wanted, or of every one.
func (r *rocprofiler) listCounters() error {
	counterCallback, dimensionCallback = purego.NewCallback(onCounters), purego.NewCallback(onDimensions)
	for i := range setup.agents {
		a := &setup.agents[i]
		if setup.agent != nil && a != setup.agent {
			continue
		}
		foundCounters = nil
		if st := call(r.iterateCounters, uintptr(a.ID), counterCallback, 0); st != 0 {
			name := r.name(st)
			if strings.HasSuffix(name, "ARCH_NOT_SUPPORTED") || strings.HasSuffix(name, "STATUS_ERROR") ||
				strings.HasSuffix(name, "NO_HARDWARE_COUNTERS") {
				continue // the GPU has none, which the other side explains
			}
			return r.failure("rocprofiler_iterate_agent_supported_counters", st)
		}
		for _, id := range foundCounters {
			c, err := r.describe(id)
			if err != nil {
				return err
			}
			a.Counters = append(a.Counters, c)
		}
		a.CountersAvailable = len(a.Counters)
	}
	return nil
}

func onCounters(agent, ids, n, user uintptr) uintptr {
	for i := range min(n, mostCounters) {
		foundCounters = append(foundCounters, field[uint64](ids, 8*i))
	}
	return 0
}

func onDimensions(counter, dimensions, n, user uintptr) uintptr {
	for i := range min(n, mostDimensions) {
		d := dimensions + dimensionSize*i
		foundDimensions = append(foundDimensions, vendorproc.Dimension{
			ID: field[uint64](d, dimensionID), Name: text(field[uintptr](d, dimensionName)),
			Size: field[uint64](d, dimensionCount),
		})
	}
	return 0
}

// infoRoom is larger than any version of the struct, for a library that writes a longer one.
var infoRoom = room(64)

// describe asks for a counter's names and dimensions. Libraries before 7.0 know the first version of the answer only.
func (r *rocprofiler) describe(id uint64) (vendorproc.Counter, error) {
	c := vendorproc.Counter{ID: id}
	clear(infoRoom)
	infoRoom[infoV1SizeAt] = infoV1Size
	p := address(infoRoom)
	if st := call(r.queryCounter, uintptr(id), infoVersion1, p); st == 0 {
		c.Name, c.Doc = text(field[uintptr](p, infoV1Name)), text(field[uintptr](p, infoV1Doc))
		c.Block, c.Expression = text(field[uintptr](p, infoV1Block)), text(field[uintptr](p, infoV1Expr))
	} else {
		clear(infoRoom)
		if st := call(r.queryCounter, uintptr(id), infoVersion0, p); st != 0 {
			return c, r.failure("rocprofiler_query_counter_info", st)
		}
		c.Name, c.Doc = text(field[uintptr](p, infoV0Name)), text(field[uintptr](p, infoV0Doc))
		c.Block, c.Expression = text(field[uintptr](p, infoV0Block)), text(field[uintptr](p, infoV0Expr))
	}
	foundDimensions = nil
	if st := call(r.iterateDimensions, uintptr(id), dimensionCallback, 0); st == 0 {
		c.Dimensions = foundDimensions
	}
	return c, nil
}

// instances is how many records a sample has of a counter.
func instances(c *vendorproc.Counter) int {
	n := uint64(1)
	for _, d := range c.Dimensions {
		if d.Size > 1 && n <= mostInstances {
			n *= min(d.Size, mostInstances)
		}
	}
	return int(min(n, mostInstances))
}
