// Package amdgpu models AMD GPUs with their amdgpu driver for the emulated kernel: the render node with
// DRM_IOCTL_AMDGPU_INFO, sysfs, hwmon, the gpu_metrics table and the clients in /proc.
//
// Everything here is a reading of the kernel's interface (numbers and layouts from package uapi; the layouts of
// gpu_metrics from kgd_pp_interface.h). It imports nothing of astrolabe but hwtest: a decoder shared with the reader
// would hide the mistakes of both.
//
// The GPUs run a workload that is a function of time: frames of 20 ms in which every block works for a share of its
// own, half a second heavy and half a second light in turn. Truth holds what was answered. In the scenario "stepped"
// time is not the machine's: it goes on with every round of reading, so that what a program finds does not depend on
// when it gets to run.
package amdgpu

import "astrolabe/hwio/hwtest"

// Models are the devices of this package.
func Models() []hwtest.Model {
	return []hwtest.Model{
		{
			Name: "gfx9", Doc: "Vega 20 (Radeon VII, 1002:66af): GFX9, discrete, 60 compute units, gpu_metrics 1.0 whose energy count soon wraps",
			Scenarios: scenarios, New: func() hwtest.Device { return newDevice(vega20) },
		},
		{
			Name: "gfx1151", Doc: "Strix Halo (Radeon 8060S, 1002:1586): GFX11.5, APU, 40 compute units, gpu_metrics 3.0",
			Scenarios: scenarios, New: func() hwtest.Device { return newDevice(strixHalo) },
		},
		{
			Name: "gfx942", Doc: "Instinct MI300X (1002:74a1) in two partitions (DPX), of which the second has a card of its own, gpu_metrics 1.8",
			Scenarios: scenarios, New: func() hwtest.Device { return newDevice(mi300x) },
		},
	}
}

// Step is how far a round of reading takes the time where it is stepped, in ns.
const Step = 100_000_000

// Scenarios of both devices.
const (
	resetScenario    = "reset"
	refusedScenario  = "refused-registers"
	offScenario      = "runtime-off"
	deniedScenario   = "denied"
	unplugScenario   = "unplug"
	oldScenario      = "old-kernel"
	twoScenario      = "two-gpus"
	unknownScenario  = "unknown-metrics-version"
	emptyScenario    = "metrics-empty"
	steppedScenario  = "stepped"
	firstEvent       = 400_000_000   // ns after the first opening at which a scenario's event begins
	unplugEvent      = 1_200_000_000 // as firstEvent; a program that measures then has something to keep
	resetLength      = 300_000_000
	suspendedLength  = 500_000_000
	graceOfSuspended = 250_000_000 // in which questions of a sleeping GPU are not held against the program
)

var scenarios = []hwtest.Scenario{
	{Name: resetScenario, Doc: "the GPU is reset 400 ms after the node was opened: for 300 ms registers give ENOENT, then video memory is lost"},
	{Name: refusedScenario, Doc: "the driver does not let GRBM_STATUS2 be read: EFAULT"},
	{Name: offScenario, Doc: "runtime power management suspends the GPU 400 ms after the node was opened, for 500 ms: files give EBUSY, questions EINVAL, power is 0"},
	{Name: deniedScenario, Doc: "the user may not open the render node: EACCES"},
	{Name: unplugScenario, Doc: "the GPU vanishes 1.2 s after the node was opened: ENODEV, and its files are gone"},
	{Name: oldScenario, Doc: "an old kernel: a device description of 272 bytes, few sensors, no count of lost memory, no gpu_metrics"},
	{Name: twoScenario, Doc: "both devices at once: the discrete one is card0, the APU card1"},
	{Name: unknownScenario, Doc: "gpu_metrics has revision 1.9"},
	{Name: steppedScenario, Doc: "time is not the machine's: it stands still and goes on by 100 ms when a program reads power/runtime_status, as before every look at the sensors"},
	{Name: emptyScenario, Doc: "gpu_metrics has a good header and nothing but ones behind it"},
}
