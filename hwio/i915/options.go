package i915

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"astrolabe/capture/decode/oa"
	"astrolabe/hwio"
	"astrolabe/hwio/intel"
)

const defaultSet = "RenderBasic"

// Options lists what can be chosen.
func (s *Source) Options() []hwio.Option {
	var formats []string
	for _, f := range formatsRead {
		formats = append(formats, f.Name)
	}
	return []hwio.Option{
		{Name: "set", Default: defaultSet, Doc: "the metric set to count, such as RenderBasic, ComputeBasic, Sampler or L3_1: it decides what the counters B and C mean"},
		{Name: "card", Doc: "the card to measure where there are several, such as card1 or 0000:03:00.0; the default is the first that can be measured"},
		{Name: "format", Default: oa.A32u40A4u32B8C8.Name, Doc: "the layout of the hardware's reports, one of " +
			strings.Join(formats, ", ") + "; the metric sets need the first"},
		{Name: "flex", Doc: "events for flexible EU counters that the set's metrics leave, with + between them, such as fpu0/ts+PsSendActive@A14: EVENT/COARSE/FINE as metrics.eu_events() lists them, or a metric's name"},
		{Name: "exponent", Doc: "the hardware's period itself: a report every 2^(exponent+1) ticks of the GPU's timestamp, 0 to 24; the default follows from the period"},
		{Name: "sseu", Doc: "what of the GPU is powered while it is measured, as masks of slices and of subslices in each and a number of EUs, such as 0x1/0x7/8; the default is what the programs ask for"},
		{Name: "keep-config", Default: "no", Doc: "whether a metric set that had to be loaded stays in the driver afterwards, yes or no"},
	}
}

// formatsRead are the layouts of reports of the GPUs that this reader drives.
var formatsRead = []*oa.Format{oa.A32u40A4u32B8C8, oa.A12, oa.A12B8C8, oa.C4B8}

// settings are the options of a recording, read.
type settings struct {
	sel      *intel.Selection
	format   *oa.Format
	exponent int // -1: from the period
	keep     bool
	powered  *sseu
}

func readSettings(p part, options map[string]string) (*settings, error) {
	out := &settings{exponent: -1}
	var err error
	for _, name := range slices.Sorted(maps.Keys(options)) {
		switch name {
		case "set", "card", "format", "flex", "exponent", "sseu", "keep-config":
		default:
			return nil, fmt.Errorf("there is no option %q; there are set, card, format, flex, exponent, sseu, keep-config", name)
		}
	}
	if out.format, err = oa.FormatByName(orText(options["format"], oa.A32u40A4u32B8C8.Name)); err != nil {
		return nil, err
	}
	if out.sel, err = selectSet(p, options["set"], out.format); err != nil {
		return nil, err
	}
	if !slices.Contains(formatsRead, out.format) {
		return nil, fmt.Errorf("format %s is of GPUs whose OA units are not driven through i915 here", out.format.Name)
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
	switch strings.ToLower(options["keep-config"]) {
	case "", "no", "false":
	case "yes", "true":
		out.keep = true
	default:
		return nil, fmt.Errorf("keep-config is %q: want yes or no", options["keep-config"])
	}
	return out, nil
}

// maxExponentOf is the largest exponent at which no counter of a format wraps between two reports: GPU_TICKS has 32
// bits and wraps after 3.7 s at the highest clock, but where 32 bits are all that is left of a sum over all EUs, they
// wrap after 0.15 s.
func maxExponentOf(f *oa.Format) int {
	for _, name := range f.Counters() {
		if name[0] == 'A' && f.Width(name) == 32 && f != oa.A32u40A4u32B8C8 {
			return 19
		}
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
