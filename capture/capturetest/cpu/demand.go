package cpu

import "astrolabe/capture/capturetest"

// demand is what the threads of the machine ask for. Rates are per second of a CPU's work, but for majors, which are
// the machine's.
type demand struct {
	threads  float64 // that could run at the same time
	serial   float64 // share of the time in which one of them has a CPU of its own
	allowed  float64 // CPUs that they may use
	clock    float64 // share of the highest clock
	calls    float64 // share of the work that is system calls
	switches float64
	faults   float64 // minor
	majors   float64 // faults that read from storage, per second of time
	irqs     float64
	reads    float64 // share of the time in which some thread waits for storage
	used     float64 // share of the memory in use
	misses   float64 // of the last-level cache, per instruction
	branches float64 // mispredicted, per instruction
	fetch    float64 // cycles per instruction in which none arrives
	chain    float64 // cycles per instruction that dependencies cost
	hidden   float64 // above 0 nothing counts what the cores do, as in many virtual machines
}

// usual is a machine at half load with nothing out of the ordinary.
func usual() demand {
	return demand{threads: 2.1, serial: 0, allowed: cpus, clock: 1, calls: 0.08, switches: 900, faults: 1500,
		majors: 0.5, irqs: 400, reads: 0.01, used: 0.55,
		misses: 0.2e-3, branches: 1e-3, fetch: 0.03, chain: 0.05}
}

// setting is one part of a plant: a field of the demand, from where an expert would name it to as hard as it gets.
type setting struct {
	field        func(*demand) *float64
	light, heavy float64
}

type plant struct {
	capturetest.Plant
	settings []setting
}

func threads(d *demand) *float64  { return &d.threads }
func serial(d *demand) *float64   { return &d.serial }
func allowed(d *demand) *float64  { return &d.allowed }
func clock(d *demand) *float64    { return &d.clock }
func calls(d *demand) *float64    { return &d.calls }
func switches(d *demand) *float64 { return &d.switches }
func faults(d *demand) *float64   { return &d.faults }
func majors(d *demand) *float64   { return &d.majors }
func irqs(d *demand) *float64     { return &d.irqs }
func reads(d *demand) *float64    { return &d.reads }
func used(d *demand) *float64     { return &d.used }
func misses(d *demand) *float64   { return &d.misses }
func branches(d *demand) *float64 { return &d.branches }
func fetch(d *demand) *float64    { return &d.fetch }
func hidden(d *demand) *float64   { return &d.hidden }

var plants = []plant{
	{capturetest.Plant{ID: "saturated", Rule: "core_bound",
		Doc: "more runnable threads than CPUs, all of which compute"}, []setting{{threads, 4.6, 12}}},
	{capturetest.Plant{ID: "single", Rule: "core_bound", Doc: "one thread computes, the others wait for it"},
		[]setting{{serial, 0.97, 0.99}, {threads, 1.9, 1.05}}},
	{capturetest.Plant{ID: "saturated_unseen", Rule: "cpu_saturated",
		Doc: "more runnable threads than CPUs, where nothing counts what the cores do"},
		[]setting{{threads, 4.6, 12}, {hidden, 1, 1}}},
	{capturetest.Plant{ID: "single_unseen", Rule: "single_thread",
		Doc: "one thread works, where nothing counts what the cores do"},
		[]setting{{serial, 0.97, 0.99}, {threads, 1.9, 1.05}, {hidden, 1, 1}}},
	{capturetest.Plant{ID: "in_turn", Rule: "threads_in_turn", Doc: "two threads hand over to each other"},
		[]setting{{serial, 0.97, 0.99}, {threads, 1, 1}, {switches, 2500, 8000}}},
	{capturetest.Plant{ID: "lock", Rule: "lock_bound", Doc: "threads wait for a lock that one of them has"},
		[]setting{{threads, 1.6, 1.2}, {switches, 4000, 9000}}},
	{capturetest.Plant{ID: "quota", Rule: "cpu_limited", Doc: "a quota keeps runnable threads from free CPUs"},
		[]setting{{allowed, 1.8, 1}, {threads, 3, 6}}},
	{capturetest.Plant{ID: "memory_short", Rule: "memory_pressure",
		Doc: "the working set is larger than the memory: pages are thrown out and read back"},
		[]setting{{used, 0.98, 0.995}, {majors, 60, 400}}},
	{capturetest.Plant{ID: "memory_full", Rule: "memory_full", Doc: "nearly all memory is in use, and it is enough"},
		[]setting{{used, 0.97, 0.99}}},
	{capturetest.Plant{ID: "storage", Rule: "io_pressure", Doc: "threads wait for reads from storage"},
		[]setting{{reads, 0.18, 0.8}}},
	{capturetest.Plant{ID: "system_calls", Rule: "kernel_time", Doc: "much of the work is system calls"},
		[]setting{{calls, 0.5, 0.85}}},
	{capturetest.Plant{ID: "interrupts", Rule: "interrupts", Doc: "a device interrupts all the time"},
		[]setting{{irqs, 210e3, 330e3}}},
	{capturetest.Plant{ID: "switches", Rule: "switch_storm", Doc: "threads pass small messages and block"},
		[]setting{{switches, 270e3, 400e3}}},
	{capturetest.Plant{ID: "faults", Rule: "fault_storm", Doc: "memory is mapped, touched once and given back"},
		[]setting{{faults, 330e3, 500e3}}},
	{capturetest.Plant{ID: "cache_misses", Rule: "memory_bound",
		Doc: "a working set that no cache holds is walked at random"},
		[]setting{{misses, 13e-3, 40e-3}, {threads, 4.6, 5}}},
	{capturetest.Plant{ID: "branches", Rule: "branch_misses", Doc: "branches depend on random data"},
		[]setting{{branches, 50e-3, 100e-3}, {threads, 4.6, 5}}},
	{capturetest.Plant{ID: "fetch", Rule: "fetch_bound", Doc: "the code is larger than the instruction caches"},
		[]setting{{fetch, 1.4, 3}, {threads, 4.6, 5}}},
	{capturetest.Plant{ID: "clock", Rule: "clock_held_down", Doc: "all CPUs work at a clock far below their highest"},
		[]setting{{clock, 0.55, 0.3}, {threads, 4.6, 5}}},
	{capturetest.Plant{ID: "idle", Rule: "cpu_idle", Doc: "hardly anything runs"}, []setting{{threads, 0.28, 0.04}}},
}

// plant changes the demand by a plant; strength gives the value of a setting.
func (d *demand) plant(m model, id string, strength func(usual, light, heavy float64) float64) error {
	if _, err := capturetest.FindPlant(m, id); err != nil {
		return err
	}
	for _, p := range plants {
		if p.ID != id {
			continue
		}
		for _, s := range p.settings {
			field := s.field(d)
			*field = strength(*field, s.light, s.heavy)
		}
	}
	return nil
}
