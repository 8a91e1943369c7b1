package amdgpu

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"astrolabe/capture"
	"astrolabe/hwio/internal/gpumetrics"
)

// metricsPrefix stands before the names of the table's fields.
const metricsPrefix = "gpu_metrics_"

var (
	noData  = capture.Reason{Code: capture.PowerGated, Text: "gpu_metrics held no data: every field was empty"}
	noField = capture.Reason{Code: capture.Unsupported,
		Text: "gpu_metrics marked the field as not available at that time"}
	cutField = capture.Reason{Code: capture.Damaged,
		Text: "gpu_metrics was shorter than its revision says and did not reach this field"}
	twoUnits = capture.Reason{Code: capture.Unknown,
		Text: "this GPU gives its activity in percent or in hundredths of a percent, and no value above 100 has yet told which"}
	otherForm = capture.Reason{Code: capture.Unsupported,
		Text: "gpu_metrics had another revision than at the start of the recording"}
)

// metricsFile is the table of one GPU.
type metricsFile struct {
	file   textFile
	table  gpumetrics.Table
	layout *gpumetrics.Layout
	fine   bool // activity is in hundredths of a percent: a value above 100 was seen
	cells  []cell
}

// cell is a value of the table that is recorded.
type cell struct {
	field *gpumetrics.Field
	index int
	any   uint64 // not 0: whether any of these bits is set, as 0 or 100 percent
}

// addMetrics offers the fields of the gpu_metrics table that this GPU fills. A table of an unknown revision, or one
// without data, is left out with the reason.
func (b *builder) addMetrics(g *gpu, to *readings) {
	m := &metricsFile{file: textFile{root: g.root, path: g.card.Sysfs + "/device/gpu_metrics"}}
	if why := m.accept(); why != "" {
		b.lacks(metricsPrefix+"*", why, "")
		if g.root.Exists(m.file.path) {
			b.warnings = append(b.warnings, "amdgpu: "+g.card.Name+": "+why)
		}
		_ = m.file.close()
		return
	}
	t := task{close: m.file.close}
	offer := func(meta capture.Meta, c cell, integer bool, wide uint8, scale float64) {
		if b.wants(&meta, false) {
			t.cols = append(t.cols, column{meta: meta, slot: t.size, integer: integer, wide: wide, scale: scale})
			m.cells = append(m.cells, c)
			t.size++
		}
	}
	for i := range m.layout.Fields {
		f := &m.layout.Fields[i]
		if f.Sort == gpumetrics.Structure || f.Sort == gpumetrics.Clock {
			continue
		}
		for k := range f.Count {
			if _, ok := m.table.Raw(f, k); !ok {
				if _, _, parted := f.Partition(); k == 0 && !parted {
					b.lacks(metricsPrefix+f.Name, fmt.Sprintf("revision %s of gpu_metrics has the field, but this GPU does not fill it", m.layout.Version()), "")
				}
				continue
			}
			name, number, parted := f.Partition()
			if parted {
				name = "xcp_" + name
			}
			meta := capture.Meta{Name: metricsPrefix + name, Title: strings.ReplaceAll(name, "_", " "), Unit: f.Unit,
				Block: "gpu_metrics", Kind: capture.Gauge,
				Doc: fmt.Sprintf("Field %s of the driver's gpu_metrics table, revision %s, read about every 100 ms.",
					f.Name, m.layout.Version())}
			switch {
			case parted:
				meta.Instance = fmt.Sprintf("%d.%d", number, k)
				meta.Doc += " Instance 1.3 is the fourth of its kind in partition 1 (XCP) of the GPU; partitions that there are not have none."
				if i := slices.IndexFunc(b.partitions, func(p partition) bool { return p.number == number }); i >= 0 {
					meta.Device = b.partitions[i].name(b.card)
				}
			case f.Count > 1:
				meta.Instance = strconv.Itoa(k)
			}
			switch f.Sort {
			case gpumetrics.Total:
				meta.Kind = capture.Delta
				meta.Doc += " The firmware counts up; the count arrives in steps, so take stretches of several readings."
				offer(meta, cell{field: f, index: k}, f.Scale == 1, uint8(8*f.Size), f.Scale)
			case gpumetrics.Bits:
				meta.Integral, meta.Combine = true, capture.CombineMax
				meta.Doc += " Each bit is a condition, numbered by the kernel's and the part's headers: look at single samples, a mean of it means nothing."
				offer(meta, cell{field: f, index: k}, true, 0, 0)
				if f.Name == "indep_throttle_status" {
					for _, r := range gpumetrics.Reasons {
						offer(capture.Meta{Name: "throttled_by_" + r.Name, Title: "Throttled by " + r.What,
							Unit: "percent", Block: "gpu_metrics",
							Kind: capture.Gauge, Combine: capture.CombineMax, Doc: throttleDoc(&r)},
							cell{field: f, index: k, any: r.Mask()}, false, 0, 0)
					}
				}
				if f.Name == "throttle_status" {
					offer(capture.Meta{Name: "throttled", Title: "Throttled", Unit: "percent", Block: "gpu_metrics",
						Kind: capture.Gauge, Combine: capture.CombineMax,
						Doc: "100 where gpu_metrics names any reason to hold the clocks down, else 0: its mean is the share of time. Read about every 100 ms."},
						cell{field: f, index: k, any: ^uint64(0)}, false, 0, 0)
				}
			default:
				meta.Combine = capture.CombineMean
				if f.Unit == "watts" {
					meta.Combine = capture.CombineSum
				}
				offer(meta, cell{field: f, index: k}, false, 0, 0)
			}
		}
	}
	t.read = m.read
	b.keep(t, to)
}

// throttleDoc says what a reason for throttling is made of.
func throttleDoc(r *gpumetrics.Reason) string {
	var bits []string
	for _, bit := range slices.Sorted(maps.Keys(r.Bits)) {
		bits = append(bits, fmt.Sprintf("%d %s", bit, r.Bits[bit]))
	}
	return "100 where gpu_metrics names " + r.What + " as what holds the clocks down, else 0: its mean is the share of time. Bits of indep_throttle_status: " +
		strings.Join(bits, ", ") + "."
}

// accept reads the table for the first time and says why it cannot be used, "" where it can.
func (m *metricsFile) accept() string {
	data, err := m.file.contents()
	if absentFile(err) {
		return "the driver shows no gpu_metrics for this GPU"
	}
	if err != nil {
		return fmt.Sprintf("gpu_metrics cannot be read now (%v): the GPU is suspended or has no such table", cause(err))
	}
	var cut *gpumetrics.TruncatedError
	if err := m.table.Decode(data); err != nil && !errors.As(err, &cut) {
		return err.Error()
	}
	switch {
	case m.table.AllMissing():
		return fmt.Sprintf("gpu_metrics %s holds no data: every field is marked as not available",
			m.table.Layout().Version())
	case m.table.AllZero():
		return fmt.Sprintf("gpu_metrics %s holds only zeros: its firmware has not filled it",
			m.table.Layout().Version())
	}
	m.layout = m.table.Layout()
	return ""
}

// read fills the cells from a new reading.
func (m *metricsFile) read(out []value) {
	var why *capture.Reason
	data, err := m.file.contents()
	if err == nil {
		err = m.table.Decode(data)
	} else {
		r := explain("gpu_metrics", err)
		why = &r
	}
	var cut *gpumetrics.TruncatedError
	switch {
	case why != nil:
	case err != nil && !errors.As(err, &cut):
		why = &capture.Reason{Code: capture.Damaged, Text: err.Error()}
	case m.table.Layout() != m.layout:
		why = &otherForm
	case m.table.AllMissing(), m.table.AllZero():
		why = &noData
	}
	if why != nil {
		for i := range out {
			out[i].miss(why)
		}
		return
	}
	for i := range m.cells {
		c := &m.cells[i]
		raw, ok := m.table.Raw(c.field, c.index)
		m.fine = m.fine || (ok && c.field.Undecided && raw > 100)
		switch {
		case !m.table.Holds(c.field):
			out[i].miss(&cutField)
		case !ok:
			out[i].miss(&noField)
		case raw&c.any != 0:
			out[i].set(100)
		case c.any != 0:
			out[i].set(0)
		case c.field.Sort != gpumetrics.Level:
			out[i].setWhole(raw)
		case c.field.Undecided && !m.fine && raw != 0:
			out[i].miss(&twoUnits)
		default:
			out[i].set(float64(raw) * c.field.Scale)
		}
	}
}
