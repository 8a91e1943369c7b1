package rocprofiler

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/hwio"
	"astrolabe/hwio/internal/sysroot"
	"astrolabe/hwio/internal/vendorproc"
)

const sourceName = "rocprofiler"

// libraryVariable names the library where it is not in a standard place. The second program reads it.
const libraryVariable = "ASTROLABE_ROCPROFILER_LIB"

// Source measures through rocprofiler-sdk.
type Source struct {
	root  sysroot.Root
	start func(context.Context) (*vendorproc.Process, error)

	mu   sync.Mutex
	info *vendorproc.RocprofilerInfo // what the library answered; GPUs stay the same while the program runs
}

var (
	_ hwio.Source       = (*Source)(nil)
	_ hwio.Configurable = (*Source)(nil)
	_ hwio.Diagnoser    = (*Source)(nil)
)

// New returns the source of this machine. Its sysfs and procfs lie below root; "" is the machine's own. A copied tree
// has no library, and so nothing to measure.
func New(root string) *Source { return &Source{root: sysroot.At(root), start: vendorproc.Start} }

// Name is "rocprofiler".
func (s *Source) Name() string { return sourceName }

// Doc describes the source.
func (s *Source) Doc() string {
	return "hardware counters of AMD GPUs through ROCm's rocprofiler-sdk, of everything that runs on the GPU"
}

// list asks the library for its GPUs and their counters, once.
func (s *Source) list(ctx context.Context) (*vendorproc.RocprofilerInfo, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.info != nil {
		return s.info, nil
	}
	if runtime.GOOS != "linux" {
		return nil, hwio.ErrNeedsLinux
	}
	if !s.root.Here() {
		return nil, &hwio.Problem{Reason: "a copied tree has no GPU: rocprofiler-sdk asks the machine it runs on"}
	}
	if os.Getenv(libraryVariable) == "" && !s.root.Exists("/dev/kfd") && !s.root.Exists("/opt/rocm") {
		// Nobody without an AMD GPU needs to hear of another program.
		return nil, &hwio.Problem{
			Reason: "no AMD GPU with the compute driver is here (/dev/kfd does not exist), and no ROCm",
			Fix:    "with an AMD GPU: load the module amdgpu of a kernel with CONFIG_HSA_AMD, and install ROCm's rocprofiler-sdk; in a container hand it --device /dev/kfd --device /dev/dri",
		}
	}
	p, err := s.start(ctx)
	if err != nil {
		return nil, s.explain(err)
	}
	defer p.Close() // it has answered: how it ends changes nothing
	info := new(vendorproc.RocprofilerInfo)
	if err := p.Call(ctx, vendorproc.OpRocprofilerList, vendorproc.RocprofilerQuery{Counters: true}, info); err != nil {
		return nil, s.explain(err)
	}
	s.info = info
	return info, nil
}

// Probe loads the library in the second program and asks for the GPUs.
func (s *Source) Probe(ctx context.Context) hwio.Status {
	var st hwio.Status
	info, err := s.list(ctx)
	if err != nil {
		return st.Refused(err)
	}
	a, err := chooseAgent(info, "")
	if err != nil {
		return st.Refused(err)
	}
	st.GPU, st.Device = catalogueOf(a), agentTitle(a)
	st.Details = append(st.Details, fmt.Sprintf("%s (rocprofiler-sdk %s)", info.Library, info.Version))
	for i, b := range info.Agents {
		st.Details = append(st.Details, fmt.Sprintf("agent %d: %s, %s, %d compute units, %d counters", i,
			agentTitle(&b), b.Name, b.ComputeUnits, b.CountersAvailable))
	}
	if a.CountersAvailable == 0 {
		return st.Refused(noCounters(a))
	}
	if n := a.CountersAvailable - len(offersOf(a)); n > 0 {
		st.Details = append(st.Details, fmt.Sprintf("%d of them are metrics that the library computes; astrolabe records counters and computes metrics itself", n))
	}
	if level, file := s.powerLevel(a); level == "auto" {
		st.Details = append(st.Details, "the performance level is auto: counters of blocks whose clock is off read 0; "+
			levelFix(file))
	}
	st.Usable = true
	if !s.privileged() {
		st.Reason = "without CAP_PERFMON the GPU is not locked for this measurement, and another profiler can disturb the values"
	}
	return st
}

// Counters lists what the first GPU offers.
func (s *Source) Counters(ctx context.Context) ([]capture.Meta, error) {
	info, err := s.list(ctx)
	if err != nil {
		return nil, err
	}
	a, err := chooseAgent(info, "")
	if err != nil {
		return nil, err
	}
	var out []capture.Meta
	for _, o := range offersOf(a) {
		out = append(out, o.meta(a))
	}
	return out, nil
}

// Diagnose says what can be measured, as one finding.
func (s *Source) Diagnose(ctx context.Context) []hwio.Finding {
	return []hwio.Finding{s.Probe(ctx).Finding(sourceName, "hardware counters of the ",
		"hardware counters of AMD GPUs (ROCm)")}
}

// catalogueOf is the catalogue of the GPU's counters, "" where there is none.
func catalogueOf(a *vendorproc.Agent) string {
	name, _, _ := strings.Cut(a.Name, ":") // features such as xnack- stand behind the name
	if _, err := metrics.Get(name); err != nil {
		return ""
	}
	return name
}

func agentTitle(a *vendorproc.Agent) string { return cmp.Or(a.Product, a.Model, a.Name, "AMD GPU") }

// chooseAgent picks the GPU that the option agent names: its number among the GPUs or its name; "" is the first.
func chooseAgent(info *vendorproc.RocprofilerInfo, option string) (*vendorproc.Agent, error) {
	if option == "" && len(info.Agents) > 0 {
		return &info.Agents[0], nil
	}
	var known []string
	for i := range info.Agents {
		a := &info.Agents[i]
		if option == fmt.Sprint(i) || slices.Contains([]string{a.Name, a.Product}, option) {
			return a, nil
		}
		known = append(known, fmt.Sprintf("%d (%s, %s)", i, agentTitle(a), a.Name))
	}
	return nil, fmt.Errorf("option agent=%s: no GPU is called so; there are %s", option, strings.Join(known, ", "))
}
