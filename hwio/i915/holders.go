package i915

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"astrolabe/hwio"
	"astrolabe/hwio/internal/sysroot"
)

// holders names the processes that have a stream open, as far as this user may look into them.
func holders(root sysroot.Root) []string {
	var out []string
	for _, name := range root.List("/proc") {
		pid, err := strconv.Atoi(name)
		if err != nil || pid == os.Getpid() {
			continue
		}
		dir := "/proc/" + name
		for _, fd := range root.List(dir + "/fd") {
			switch root.LinkName(dir + "/fd/" + fd) {
			case "anon_inode:[i915_perf]", "anon_inode:[i915-perf]":
			default:
				continue
			}
			who := "process " + name
			if comm, err := root.String(dir + "/comm"); err == nil && comm != "" {
				who += " (" + comm + ")"
			}
			out = append(out, who)
			break
		}
	}
	return out
}

// busy explains that the OA unit is taken.
func busy(root sysroot.Root) *hwio.Problem {
	o := &hwio.Problem{Reason: "another program measures this GPU, and its OA unit serves one at a time"}
	who := holders(root)
	if len(who) == 0 {
		o.Fix = "end the other profiler (VTune, Graphics Performance Analyzers, a Mesa overlay, gpu-top tools); "
		if os.Geteuid() == 0 {
			o.Fix += "no process that can be seen from here is it: look on the host, outside of containers"
		} else {
			o.Fix += "sudo astrolabe doctor says which process it is"
		}
		return o
	}
	o.Reason += fmt.Sprintf(": %s", strings.Join(who, ", "))
	o.Fix = "end it, or wait until it has finished"
	return o
}
