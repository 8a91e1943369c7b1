package oa

import (
	"encoding/hex"
	"fmt"
	"strings"

	"astrolabe/capture"
)

// A capture of reports keeps what a recording file needs besides the deltas: device information in its properties and,
// in columns of the block "report", one value per row (a row lies between two reports). All are gauges of whole
// numbers; they say nothing about the GPU's work, and only a capture with one row per pair of reports has them in a
// usable form.
const (
	// keepBlock is the block of those columns.
	keepBlock = "report"

	colID         = "RPT_ID"     // first word of the report that begins the row, as the hardware wrote it
	colContext    = "CTX_ID"     // its context id, as the driver passed it on
	colEndID      = "END_RPT_ID" // the same of the report that ends the row
	colEndContext = "END_CTX_ID"
	colTime       = "REPORT_TIME" // full timestamp of the report that begins the row, ticks modulo 2^64
	// colSyncCPU and colSyncGPU are the clock correlation that governs the row: the last one before its end, or the
	// first there is.
	colSyncCPU = "CORRELATION_CPU" // ns
	colSyncGPU = "CORRELATION_GPU" // ticks of the register
	colMarks   = "REPORT_MARKS"    // see Marks
)

// marks are the losses around a row, as kept in the column colMarks.
type marks struct {
	Within   uint16 // OA_REPORT_LOST between the row's two reports
	Before   uint16 // OA_REPORT_LOST before the report that begins it, after the row before
	Buffer   uint16 // OA_BUFFER_LOST before it
	Restarts uint16 // other new beginnings before it: the stream was started again, or time ran backwards
}

// pack is the column's value.
func (m marks) pack() uint64 {
	return uint64(m.Within) | uint64(m.Before)<<16 | uint64(m.Buffer)<<32 | uint64(m.Restarts)<<48
}

// unpackMarks is the inverse of Pack.
func unpackMarks(v uint64) marks {
	return marks{uint16(v), uint16(v >> 16), uint16(v >> 32), uint16(v >> 48)}
}

// breaks reports whether the row does not follow from the row before.
func (m marks) breaks() bool { return m.Buffer > 0 || m.Restarts > 0 }

// Names of properties. Those of the equations' variables are the catalogue's.
const (
	propSet           = "metric_set"
	propGUID          = "metric_set_guid"
	propFormat        = "oa_format"
	propDriver        = "oa_driver" // "xe"; none for i915
	propShift         = "oa_clock_shift"
	propDevice        = "pci_device_id"
	propRevision      = "SkuRevisionId"
	propFrequency     = "GpuTimestampFrequency"
	propMin           = "GpuMinFrequency"
	propMax           = "GpuMaxFrequency"
	propClass         = "engine_class"
	propInstance      = "engine_instance"
	propTopology      = "oa_topology" // the blob in hexadecimal
	propEUs           = "EuCoresTotalCount"
	propSlices        = "EuSlicesTotalCount"
	propSubslices     = "EuSubslicesTotalCount"
	propThreads       = "EuThreadsCount"
	propVectorThreads = "VectorEngineThreadsCount"
	propSliceMask     = "SliceMask"
	propSSMask        = "SubsliceMask"
	propQueryMode     = "QueryMode"
	propTail          = "last_clock_correlation" // of Survey.Tail: CPU time in ns and GPU ticks
	topologyUnread    = "the topology is unreadable, so metrics that depend on the number of EUs are missing: "
)

// properties are the constants of a capture that i describes: the variables of the metric sets' equations and what a
// recording file needs. What is unknown (0, or empty) is left out. Warnings say what could not be read.
func (i *Info) properties() (props []capture.Property, warnings []string) {
	number := func(name string, v float64) {
		props = append(props, capture.Property{Name: name, Number: v})
	}
	words := func(name, v string) {
		if v != "" {
			props = append(props, capture.Property{Name: name, Text: v, IsText: true})
		}
	}
	known := func(name string, v float64) {
		if v != 0 {
			number(name, v)
		}
	}
	words(propSet, i.Set)
	words(propGUID, i.GUID)
	if f, err := i.Layout(); err == nil {
		words(propFormat, f.Name)
	}
	if i.Xe {
		words(propDriver, "xe")
	}
	known(propShift, float64(i.Shift))
	known(propDevice, float64(i.DeviceID))
	// Zero is a revision, a class and an instance: they are known where the device is.
	if i.DeviceID != 0 {
		number(propRevision, float64(i.Revision))
		number(propClass, float64(i.EngineClass))
		number(propInstance, float64(i.EngineInstance))
	}
	known(propFrequency, float64(i.TimestampFrequency))
	known(propMin, float64(i.MinFrequency))
	known(propMax, float64(i.MaxFrequency))
	number(propThreads, float64(threadsPerEU(i.DeviceID)))
	if d, ok := DeviceByID(i.DeviceID); ok && d.Version >= 1255 {
		number(propVectorThreads, float64(d.Threads))
	}
	// Equations ask whether they are of a query or of a stream; all here are streams.
	number(propQueryMode, 0)
	if len(i.Topology) == 0 {
		return props, warnings
	}
	words(propTopology, hex.EncodeToString(i.Topology))
	t, err := ParseTopology(i.Topology)
	if err != nil {
		return props, append(warnings, topologyUnread+err.Error())
	}
	if d, ok := DeviceByID(i.DeviceID); ok && d.Version >= 1100 {
		return append(props, unitProperties(t, d.Version, i.Topology)...), warnings
	}
	number(propEUs, float64(t.EUs))
	number(propSlices, float64(t.Slices))
	number(propSubslices, float64(t.Subslices))
	number(propSliceMask, float64(t.SliceMask))
	number(propSSMask, float64(t.SubsliceMask))
	return props, warnings
}

// InfoOf reads back what Properties put into a capture. The error names what is missing.
func InfoOf(c *capture.Config) (Info, error) {
	var i Info
	var lacks []string
	find := func(name string) (capture.Property, bool) {
		for _, p := range c.Properties {
			if p.Name == name {
				return p, true
			}
		}
		return capture.Property{}, false
	}
	number := func(name string, need bool) float64 {
		p, ok := find(name)
		if need && (!ok || p.IsText) {
			lacks = append(lacks, name)
		}
		return p.Number
	}
	word := func(name string) string {
		p, _ := find(name)
		return p.Text
	}
	i.TimestampFrequency = uint64(number(propFrequency, true))
	i.DeviceID = uint32(number(propDevice, true))
	i.Revision = uint32(number(propRevision, false))
	i.MinFrequency, i.MaxFrequency = uint32(number(propMin, false)), uint32(number(propMax, false))
	i.EngineClass, i.EngineInstance = uint32(number(propClass, false)), uint32(number(propInstance, false))
	i.Set, i.GUID = word(propSet), word(propGUID)
	// Everything that is missing is named at once: who writes these properties by hand need not try one after the
	// other.
	if f, err := FormatByName(word(propFormat)); err == nil {
		i.Xe = word(propDriver) == "xe"
		i.Shift = int(number(propShift, false))
		i.SetFormat(f)
	} else {
		lacks = append(lacks, propFormat)
	}
	if text := word(propTopology); text != "" {
		blob, err := hex.DecodeString(text)
		if err != nil {
			return i, fmt.Errorf("property %s is not hexadecimal: %w", propTopology, err)
		}
		i.Topology = blob
	}
	if len(lacks) > 0 {
		return i, fmt.Errorf(
			"the capture has no property %s: it was not made from a stream of OA reports, or has lost them",
			strings.Join(lacks, ", "))
	}
	return i, nil
}

// TailProperty keeps the clock correlation behind the last report, so that a recording that is made again ends with it.
func TailProperty(c Correlation) capture.Property {
	return capture.Property{Name: propTail, Text: fmt.Sprintf("%d ns, %d ticks", c.CPU, c.GPU), IsText: true}
}

// tailOf is the inverse of TailProperty; ok is false where the capture has none.
func tailOf(cfg *capture.Config) (c Correlation, ok bool) {
	for _, p := range cfg.Properties {
		if p.Name == propTail && p.IsText {
			_, err := fmt.Sscanf(p.Text, "%d ns, %d ticks", &c.CPU, &c.GPU)
			return c, err == nil && c.CPU >= 0
		}
	}
	return c, false
}
