package perfetto

import (
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// sub is a message made of numbers and texts: field, value, field, value.
func sub(fields ...any) (m message) {
	for i := 0; i < len(fields); i += 2 {
		num := fields[i].(int)
		switch v := fields[i+1].(type) {
		case int:
			m.uint(protowire.Number(num), uint64(v))
		case string:
			m.text(protowire.Number(num), v)
		case message:
			m.message(protowire.Number(num), v)
		}
	}
	return m
}

// events is a packet with a bundle of the kernel's trace events: time, field and content of each.
func events(w *tracer, bundle message, list ...any) {
	for i := 0; i < len(list); i += 3 {
		bundle.message(2, sub(1, list[i], list[i+1], list[i+2]))
	}
	w.packet(func(p *message) { p.message(1, bundle) })
}

func snapshot(w *tracer, machine int, clocks ...int) {
	var s message
	for i := 0; i < len(clocks); i += 2 {
		s.message(1, sub(1, clocks[i], 2, clocks[i+1]))
	}
	w.packet(func(p *message) {
		p.message(6, s)
		if machine != 0 {
			p.uint(98, uint64(machine))
		}
	})
}

func TestKernelEventsOfGPUsAreRead(t *testing.T) {
	w := &tracer{}
	w.packet(func(p *message) { p.message(2, sub(1, sub(1, 77, 3, "game", 3, "--fast"))) })
	snapshot(w, 0, 6, 1000, 5, 400)
	events(w, sub(1, 0),
		1000, 332, sub(1, 0, 2, 300_000), // gpu_frequency
		1000, 340, sub(1, 0, 2, 0, 3, 4096), // gpu_mem_total
		1000, 340, sub(1, 0, 2, 77, 3, 1024),
		1100, 332, sub(1, 0, 2, 500_000),
		1200, 340, sub(1, 0, 2, 0, 3, 8192),
		1300, 509, sub(1, 600, 2, 0), // kgsl_gpu_frequency, in MHz
		1300, 3, sub(2, "C|77|fps|-2\n"),
		1300, 3, sub(2, "B|77|a slice"),
		1310, 488, sub(1, 0, 2, 10077, 3, 500, 4, 600, 5, 31), // gpu_work_period: 1100 to 1200 on BOOTTIME
		1320, 1, sub(1, "sched_switch"),
	)
	c := mustDecode(t, w.out)
	if got := fmt.Sprint(c.Axis.Start, c.Axis.End); got != "[0 100 200 300] [100 200 300 400]" {
		t.Errorf("axis %s", got)
	}
	check(t, c, "gpu_frequency", "[300000 500000 500000 600000] gauge kHz GPU")
	check(t, c, "gpu_memory", "[4096 4096 8192 8192] gauge bytes GPU")
	check(t, c, "gpu_memory_of_process", "[1024 1024 1024 1024] gauge bytes GPU")
	check(t, c, "gpu_active_time", "[- 31 - -] delta ns GPU")
	check(t, c, "fps", "[- - - -2] gauge  game 77")
	if in := c.Counter("gpu_memory_of_process").Instances; len(in) != 1 || in[0].Meta.Instance != "game 77" {
		t.Errorf("instances %+v", in)
	}
}

// What was counted over a stretch of time that others cut is spread over its parts, and adds up.
func TestStretchesAreSpreadAndAddUp(t *testing.T) {
	w := &tracer{}
	snapshot(w, 0, 6, 0, 5, 0)
	events(w, nil, 10, 488, sub(1, 0, 2, 5, 3, 10, 4, 20, 5, 7),
		13, 332, sub(1, 0, 2, 1), 16, 332, sub(1, 0, 2, 2), 20, 332, sub(1, 0, 2, 3))
	c := mustDecode(t, w.out)
	check(t, c, "gpu_active_time", "[2 2 3 -] delta ns GPU")
	if total := c.Counter("gpu_active_time").Total(); total.Float() != 7 {
		t.Errorf("total %v", total)
	}
}

func TestRunningTotalsAreDifferences(t *testing.T) {
	w := &tracer{}
	w.packet(func(p *message) { p.message(40, sub(1, sub(1, 3, 2, "S1M_VDD_GPU"))) })
	for i, v := range []int{100, 150, 20, 50} {
		w.packet(func(p *message) {
			p.uint(8, uint64(1000*i))
			p.message(40, sub(2, sub(1, 3, 3, v)))
		})
	}
	c := mustDecode(t, w.out)
	check(t, c, "power_rail.S1M_VDD_GPU", "[50 - 30] delta uJ power rails") // it began anew in between
}

func TestRenderStagesAreRegionsAndTime(t *testing.T) {
	w := &tracer{}
	w.packet(func(p *message) {
		p.uint(10, 4)
		p.message(12, sub(24, sub(1, 1, 2, "compute"), 24, sub(1, 2, 2, "dispatch"), 1000,
			sub(1, 9, 2, "_Z3addPf", 3, "add(float*)")))
	})
	stage := func(at int, e message) {
		w.packet(func(p *message) {
			p.uint(8, uint64(at))
			p.uint(10, 4)
			p.message(53, e)
		})
	}
	stage(100, sub(1, 1, 2, 40, 13, 1, 14, 2))
	stage(150, sub(1, 2, 2, 30, 13, 1, 14, 2, 19, 9))
	stage(170, sub(1, 3, 2, 20, 13, 1, 14, 2))
	c := mustDecode(t, w.out)
	if got := fmt.Sprint(c.Regions); got != "[{dispatch 0 40 0 compute} {add(float*) 50 80 0 compute} "+
		"{dispatch 70 90 0 compute #2}]" {
		t.Errorf("regions %s", got)
	}
	if got := fmt.Sprint(c.Axis.Start, c.Axis.End); got != "[0 40 50 70 80] [40 50 70 80 90]" {
		t.Errorf("axis %s", got)
	}
	check(t, c, "gpu_stage_time.compute", "[40 0 20 20 10] delta ns GPU")
}

func TestClocksJoinByProvedOffsetsOnly(t *testing.T) {
	frequency := func(w *tracer, at, clock, machine, khz int) {
		w.packet(func(p *message) {
			p.uint(8, uint64(at))
			if clock != 0 {
				p.uint(58, uint64(clock))
			}
			if machine != 0 {
				p.uint(98, uint64(machine))
			}
			p.message(129, sub(1, 0, 2, khz))
		})
	}
	for _, test := range []struct {
		name, want, warning string
		trace               func(w *tracer)
	}{
		{"one clock without a snapshot", "[0 10] [1 2]", "", func(w *tracer) {
			frequency(w, 100, 3, 0, 1)
			frequency(w, 110, 3, 0, 2)
		}},
		{"two without a snapshot", "[0 10] [1 2]", "1 packets are left out", func(w *tracer) {
			frequency(w, 100, 3, 0, 1)
			frequency(w, 110, 3, 0, 2)
			frequency(w, 120, 4, 0, 3)
		}},
		{"a clock that no snapshot has", "[0 10] [1 2]", "1 packets are left out", func(w *tracer) {
			snapshot(w, 0, 6, 100, 3, 50)
			frequency(w, 100, 0, 0, 1)
			frequency(w, 60, 3, 0, 2)
			frequency(w, 120, 4, 0, 3)
		}},
		{"over another clock", "[0 10] [1 2]", "", func(w *tracer) {
			snapshot(w, 0, 128, 7, 6, 100)
			snapshot(w, 0, 128, 9, 129, 1)
			frequency(w, 100, 0, 0, 1)
			frequency(w, 9, 129, 0, 2) // 1 is 9 of the other, which is 102
		}},
		{"another machine", "[0 10] [1 2]", "1 packets are left out", func(w *tracer) {
			frequency(w, 100, 0, 0, 1)
			frequency(w, 110, 0, 0, 2)
			frequency(w, 110, 0, 5, 9)
		}},
		{"another machine that is related", "[0 10] [1 1]", "", func(w *tracer) {
			w.packet(func(p *message) {
				p.uint(98, 5)
				p.message(107, sub(1, sub(2, sub(1, sub(1, 6, 2, 10)), 3, sub(1, sub(1, 6, 2, 70)))))
			})
			frequency(w, 100, 0, 0, 1)
			frequency(w, 50, 0, 5, 9)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := &tracer{}
			test.trace(w)
			c := mustDecode(t, w.out)
			ctr := c.Counter("gpu_frequency")
			first := ctr
			if len(ctr.Instances) > 0 {
				first = ctr.Instances[0]
			}
			if got := fmt.Sprint(c.Axis.Start, values(first)); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
			if all := strings.Join(c.Warnings, "\n"); !strings.Contains(all, test.warning) ||
				test.warning == "" && all != "" {
				t.Errorf("warnings %q", c.Warnings)
			}
		})
	}
}

func TestTheKernelsClockJoinsByItsBundles(t *testing.T) {
	w := &tracer{}
	events(w, sub(5, 2, 6, 500, 7, 1500), 510, 332, sub(1, 0, 2, 1))
	events(w, sub(5, 2), 530, 332, sub(1, 0, 2, 2)) // the relation goes on
	w.packet(func(p *message) {
		p.uint(8, 1520)
		p.message(71, sub(1, 0, 3, 99)) // gpu_mem_total_event
	})
	c := mustDecode(t, w.out)
	if got := fmt.Sprint(c.Axis.Start); got != "[0 10 20]" {
		t.Errorf("axis %s", got)
	}
	check(t, c, "gpu_frequency", "[1 1 2] gauge kHz GPU")
	alone := &tracer{}
	events(alone, sub(5, 2), 530, 332, sub(1, 0, 2, 2))
	if _, err := decodeBytes(alone.out); err == nil || !strings.Contains(err.Error(), "no snapshot relates its clock") {
		t.Errorf("error %v", err)
	}
}

func TestSystemFilesAreRead(t *testing.T) {
	w := &tracer{}
	for i := range 3 {
		w.packet(func(p *message) {
			p.uint(8, uint64(100*i))
			p.message(7, sub(1, sub(1, 34, 2, 5+i), 2, sub(1, 1, 2, 1), 3, sub(1, 0, 2, 1000*i*i), 11, 1800_000, 11, 900_000,
				10, sub(1, "mali", 2, 7), 15, sub(1, "zone0", 2, 61, 3, "GPU"), 16, sub(1, 1, 2, sub(1, "C1", 2, 8*i)), 17, 450))
			p.message(38, sub(1, 9, 3, 5))
		})
	}
	c := mustDecode(t, w.out)
	check(t, c, "memory.gpu", "[5120 6144 7168] gauge bytes memory")
	check(t, c, "cpu_user", "[1000 3000 -] delta ns CPU")
	check(t, c, "cpu_frequency", "[1.35e+06 1.35e+06 1.35e+06] gauge kHz CPU")
	check(t, c, "devfreq.mali", "[7 7 7] gauge  devfreq")
	check(t, c, "temperature_sysfs.GPU", "[61 61 61] gauge degC temperatures")
	check(t, c, "cpu_idle_time.C1", "[8 8 -] delta us CPU")
	check(t, c, "gpu_frequency_sysfs", "[450 450 450] gauge MHz GPU")
	if all := strings.Join(c.Warnings, "\n"); !strings.Contains(all, "not read: the system's statistics of vmstat") {
		t.Errorf("warnings %q", c.Warnings)
	}
}

func TestTheGPUSaysWhatItIs(t *testing.T) {
	w := &tracer{}
	w.packet(func(p *message) {
		p.message(128, sub(1, sub(1, "Mali-G720", 2, "Arm", 7, "0000:01:00.0", 6, sub(1, "driver_version", 2, "r51"))))
	})
	events(w, nil, 10, 332, sub(1, 0, 2, 1), 20, 332, sub(1, 0, 2, 2))
	d := mustDecode(t, w.out).Device
	if got := fmt.Sprint(d); got != "{Mali-G720 Arm  0000:01:00.0 map[driver_version:r51]}" {
		t.Errorf("device %s", got)
	}
}
