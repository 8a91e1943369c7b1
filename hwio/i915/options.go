package i915

import (
	"fmt"
	"strconv"
	"time"

	"astrolabe/capture/decode/oa"
	"astrolabe/hwio"
	"astrolabe/hwio/intel"
)

const defaultSet = "RenderBasic"

// Options lists what can be chosen.
func (s *Source) Options() []hwio.Option {
	return []hwio.Option{
		{Name: "set", Default: defaultSet, Doc: "the metric set to count, such as RenderBasic, ComputeBasic, Sampler or L3_1: it decides what the counters B and C mean, and of which OA unit"},
		{Name: "card", Doc: "the card to measure where there are several, such as card1 or 0000:03:00.0; the default is the first that can be measured"},
		{Name: "engine", Doc: intel.EngineDoc},
		{Name: "format", Doc: "the layout of the hardware's reports; the default is the one that the metric set needs, and GPUs up to Alder Lake also write A12, A12_B8_C8 and C4_B8"},
		{Name: "flex", Doc: "events for flexible EU counters that the set's metrics leave, with + between them, such as fpu0/ts+PsSendActive@A14: EVENT/COARSE/FINE as metrics.eu_events() lists them, or a metric's name"},
		{Name: "exponent", Doc: "the hardware's period itself: a report every 2^(exponent+1) ticks of the GPU's timestamp, 0 to 24; the default follows from the period"},
		{Name: "sseu", Doc: "what of the GPU is powered while it is measured, as masks of slices and of subslices in each and a number of EUs, such as 0x1/0x7/8; the default is what the programs ask for; DG2 and later have no such choice"},
		{Name: "poll", Doc: "the time between two looks of the driver for new reports, from 100us on; the default follows from the period, 1ms to 5ms"},
		{Name: "hold-preemption", Default: "no", Doc: "whether no other work may interrupt a context: refused, as the kernel grants it for a context of the recorder's own only"},
		{Name: "keep-config", Default: "no", Doc: "whether a metric set that had to be loaded stays in the driver afterwards, yes or no"},
	}
}

// settings are the options of a recording, read.
type settings struct {
	sel      *intel.Selection
	format   *oa.Format
	exponent int // -1: from the period
	keep     bool
	powered  *sseu
	engine   string
	poll     time.Duration // 0: from the period
}

// holdRefused is the answer to who asks that a context is not interrupted.
var holdRefused = &hwio.Problem{
	Reason: "hold-preemption: the kernel keeps other work from interrupting a context only for a stream of that context, which the recorder would have to own; a recording is of all programs on the GPU",
	Fix:    "leave it out: reports say at every switch which context runs, and counters are divided by it",
}

func readSettings(p part, options map[string]string) (*settings, error) {
	out := &settings{exponent: -1, engine: options["engine"]}
	if err := intel.KnownOptions((&Source{}).Options(), options); err != nil {
		return nil, err
	}
	hold, err := intel.YesNo(options, "hold-preemption")
	switch {
	case err != nil:
		return nil, err
	case hold:
		return nil, holdRefused
	}
	if out.sel, out.format, err = selectSet(p, options["set"], options["format"]); err != nil {
		return nil, err
	}
	if options["flex"] != "" && !p.kabyLake() {
		return nil, fmt.Errorf("flex: the events of flexible EU counters are known of Kaby Lake, and the GPU is %s", p.title())
	}
	chosen, err := readFlex(options["flex"], out.sel, out.format)
	if err != nil {
		return nil, err
	}
	choose(out.sel, chosen)
	if text, ok := options["exponent"]; ok && text != "" {
		limit := maxExponentOf(out.format)
		if out.exponent, err = strconv.Atoi(text); err != nil || out.exponent < 0 || out.exponent > limit {
			return nil, fmt.Errorf("exponent %q is no whole number from 0 to %d: beyond that the counters of format %s wrap within a report", text, limit, out.format.Name)
		}
	}
	if out.powered, err = readSSEU(options["sseu"]); err != nil {
		return nil, err
	}
	if text := options["poll"]; text != "" {
		if out.poll, err = time.ParseDuration(text); err != nil || out.poll < leastPoll || out.poll > time.Minute {
			return nil, fmt.Errorf("poll %q is no time from %v to %v, such as 2ms", text, leastPoll, time.Minute)
		}
	}
	out.keep, err = intel.YesNo(options, "keep-config")
	return out, err
}

// maxExponentOf is the largest exponent at which no counter of a format wraps between two reports: GPU_TICKS has 32
// bits and wraps after 3.7 s at the highest clock, but where 32 bits are all that is left of a sum over all EUs, they
// wrap after 0.15 s.
func maxExponentOf(f *oa.Format) int {
	if f == oa.A12 || f == oa.A12B8C8 {
		return 19
	}
	return 24
}

// choose decides on the exponent. The text is a warning where the choice is not what the period asks for.
func (s *settings) choose(period time.Duration, frequency uint64, sec security) (exponent int, warning string) {
	if s.exponent >= 0 {
		return s.exponent, ""
	}
	asked := intel.ExponentFor(period, frequency)
	if limit := maxExponentOf(s.format); asked > limit {
		return limit, fmt.Sprintf("i915: a report every %s, not every %v: with longer periods the counters of format %s wrap between two reports", intel.PeriodText(limit, frequency), period, s.format.Name)
	}
	if sec.privileged {
		return asked, ""
	}
	exponent = slowestAllowed(asked, frequency, sec.maxRate)
	if exponent > asked {
		warning = fmt.Sprintf("i915: a report every %s, not every %v: dev.i915.oa_max_sample_rate allows %d a second without privilege", intel.PeriodText(exponent, frequency), period, sec.maxRate)
	}
	return exponent, warning
}
