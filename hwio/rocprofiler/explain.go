package rocprofiler

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"astrolabe/hwio"
	"astrolabe/hwio/internal/drm"
	"astrolabe/hwio/internal/vendorproc"
)

// withoutROCm is what works on every AMD GPU.
const withoutROCm = "--source amdgpu needs no ROCm"

// explain says what an error of the second program or of the library means here.
func (s *Source) explain(err error) error {
	var e *vendorproc.Error
	if !errors.As(err, &e) {
		return err
	}
	p := &hwio.Problem{Reason: e.Text, Cause: err}
	switch e.Kind {
	case vendorproc.ProgramMissing:
		p.Fix = vendorproc.BuildHint
	case vendorproc.LibraryMissing:
		p.Fix = "install ROCm's package rocprofiler-sdk (6.3 or newer), or put the library's path into " +
			libraryVariable + "; " + withoutROCm
	case vendorproc.LibraryVersion:
		p.Fix = "install a release of ROCm that fits, or name another library with " + libraryVariable + "; " +
			withoutROCm
	case vendorproc.NoDevice, vendorproc.NotPermitted:
		p = s.explainDevice(p, e.Kind == vendorproc.NotPermitted)
	case vendorproc.NotSupported:
		p.Reason += ": the library does not know this GPU's counters"
		p.Fix = "see ROCm's list of supported GPUs; " + withoutROCm
	case vendorproc.TooMany:
		p.Fix = "record one of these sets at a time with --counters, or name fewer counters"
	}
	return p
}

// explainDevice looks why the GPU cannot be reached.
func (s *Source) explainDevice(p *hwio.Problem, denied bool) *hwio.Problem {
	const join = "sudo usermod -aG render,video $USER, and log in again"
	f, err := os.OpenFile(s.root.Path("/dev/kfd"), os.O_RDWR, 0)
	switch {
	case err == nil:
		_ = f.Close() // it was only tried
		if denied {
			p.Fix = "the whole GPU's counters need CAP_PERFMON: run as root, or sudo setcap cap_perfmon+ep on " +
				vendorproc.Program
			return p
		}
		p.Reason += "; /dev/kfd can be opened, so the GPU may not be one that ROCm supports"
		p.Fix = "look at what rocminfo says; " + withoutROCm
	case errors.Is(err, fs.ErrPermission):
		p.Reason += "; this user may not open /dev/kfd"
		p.Fix = join
	case errors.Is(err, fs.ErrNotExist):
		p.Reason += "; /dev/kfd does not exist"
		p.Fix = "load the module amdgpu of a kernel with CONFIG_HSA_AMD; in a container hand it --device /dev/kfd --device /dev/dri"
		if denied {
			p.Fix += "; and " + join
		}
	default:
		p.Reason += fmt.Sprintf("; /dev/kfd: %v", err)
	}
	return p
}

// noCounters says that the library offers none for a GPU.
func noCounters(a *vendorproc.Agent) error {
	return &hwio.Problem{Reason: fmt.Sprintf("rocprofiler-sdk offers no counters for the %s (%s): it does not support this GPU", agentTitle(a), a.Name), Fix: withoutROCm}
}

// powerLevel reads the performance level of the GPU's card, and where it stands.
func (s *Source) powerLevel(a *vendorproc.Agent) (level, file string) {
	for _, c := range drm.Cards(s.root) {
		if c.Render != fmt.Sprintf("/dev/dri/renderD%d", a.RenderMinor) {
			continue
		}
		file := c.Sysfs + "/device/power_dpm_force_performance_level"
		level, err := s.root.String(file)
		if err != nil {
			return "", ""
		}
		return level, file
	}
	return "", ""
}

func levelFix(file string) string {
	if file == "" {
		file = "/sys/class/drm/card0/device/power_dpm_force_performance_level"
	}
	return fmt.Sprintf("to keep clocks on: echo profile_standard | sudo tee %s (and auto afterwards)", file)
}

const (
	capPerfmon  = 38
	capSysAdmin = 21
)

// privileged says whether this process, and so the one it starts, may lock the GPU for itself.
func (s *Source) privileged() bool {
	status, _ := s.root.String("/proc/self/status")
	for line := range strings.Lines(status) {
		if hex, ok := strings.CutPrefix(line, "CapEff:"); ok {
			caps, err := strconv.ParseUint(strings.TrimSpace(hex), 16, 64)
			return err == nil && caps&(1<<capPerfmon|1<<capSysAdmin) != 0
		}
	}
	return false
}
