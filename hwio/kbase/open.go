package kbase

import (
	"context"
	"fmt"

	"astrolabe/capture"
	"astrolabe/hwio"
	"astrolabe/hwio/internal/mali"
)

// Open makes a client of the driver. Counting starts with the first Read.
func (s *Source) Open(_ context.Context, r hwio.Request) (hwio.Stream, error) {
	manual, err := manualMode(r.Options)
	if err != nil {
		return nil, err
	}
	ses, node, err := s.open(r.Options)
	if err != nil {
		return nil, err
	}
	st, err := s.openStream(ses, node, r, manual)
	if err != nil {
		// The error that led here is the one to report.
		_ = ses.dev.Close()
		return nil, err
	}
	return st, nil
}

func manualMode(options map[string]string) (bool, error) {
	for name, value := range options {
		switch name {
		case "device":
		case "mode":
			if value != "periodic" && value != "manual" && value != "" {
				return false, fmt.Errorf("option mode is %q; it is periodic or manual", value)
			}
		default:
			return false, fmt.Errorf("source %s has no option %q; it has device and mode", sourceName, name)
		}
	}
	return options["mode"] == "manual", nil
}

func (s *Source) openStream(ses *session, node string, r hwio.Request, manual bool) (*stream, error) {
	w, err := ses.choose()
	if err != nil {
		return nil, err
	}
	want := func(m *capture.Meta) bool { return len(r.Counters) == 0 || hwio.MatchAny(r.Counters, m) }
	g := &ses.gpu
	st := &stream{
		ses: ses, manual: manual, period: r.Period.Nanoseconds(), complete: w.packed == nil && ses.version.complete(),
		old:   w.packed != nil,
		table: mali.NewTable(w.blocks(g), g.Product.Layout, g.Product.Catalogue(), sourceName, want),
	}
	enable := st.table.Enable
	if len(enable) == 0 {
		// Only clocks or gauges are wanted: the smallest sample there is carries them.
		enable = map[mali.BlockType]mali.Mask{mali.FrontEnd: {1<<mali.GroupValues - 1}}
	}
	domains := w.clocks()
	if w.caps != nil {
		st.client, err = setUp(ses, w.caps, enable, uint64(st.period), manual)
	} else {
		var v *vinstr
		if v, err = setUpReader(ses, w.packed, enable, uint64(st.period), manual); err == nil {
			st.client, domains = v, v.cycles
		}
	}
	if err != nil {
		return nil, err
	}
	st.schema.Config = g.Config(sourceName, ses.version.String())
	st.schema.Config.Warnings = append(st.schema.Config.Warnings, s.warnings(ses, w, st)...)
	st.schema.Columns = st.table.Columns
	st.firstClock = len(st.schema.Columns)
	for i, c := range clockColumns(domains) {
		if want(&c.Meta) {
			st.schema.Columns = append(st.schema.Columns, c)
			st.domains = append(st.domains, i)
		}
	}
	st.firstGauge = len(st.schema.Columns)
	st.gauges = mali.OpenGauges(s.root, sysfs(node), sourceName, r.Period, want)
	st.schema.Columns = append(st.schema.Columns, st.gauges.Columns...)
	if len(st.schema.Columns) == 0 {
		_ = st.client.close()
		_ = st.gauges.Close()
		return nil, hwio.ErrNoMatch
	}
	st.clock = mali.NewClock(s.clocks)
	return st, nil
}

// warnings says how the recording will differ from what was asked for.
func (s *Source) warnings(ses *session, w *way, st *stream) []string {
	var out []string
	say := func(format string, args ...any) { out = append(out, sourceName+": "+fmt.Sprintf(format, args...)) }
	if w.caps != nil {
		for _, u := range w.caps.unknown {
			say("the driver lists %s, which are left out", u)
		}
		for _, b := range w.caps.blocks {
			if b.set != 0 {
				say("this driver is built for counter set %d and not the primary one: its counters are recorded by block, set and index (core_set%d_17)", b.set, b.set)
				break
			}
		}
	} else if !st.manual && st.period > maxInterval {
		say("samples are taken every second, because this driver's 32-bit values could overflow in a longer one")
		st.period = maxInterval
	}
	if !st.manual && st.period < minPeriod {
		say("the driver samples every 100 µs at most, not every %d µs", st.period/1000)
		st.period = minPeriod
	}
	if more := s.nodes(); len(more) > 1 {
		say("the machine has %d Mali devices; this is %s (choose another with the option device)", len(more), ses.path)
	}
	return out
}
