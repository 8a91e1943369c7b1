package perfevent

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"astrolabe/hwio"
	"astrolabe/hwio/internal/sysroot"
)

// spec is an event as a user writes it: a name, rHEX, PMU/TERMS/, or tracepoint:SUBSYSTEM:EVENT, each with an optional
// modifier :u or :k that counts only user space or only the kernel.
type spec struct {
	text         string
	name         string // of a known event, or of "tracepoint"
	raw          uint64
	isRaw        bool
	pmu, terms   string
	system, trac string // of a tracepoint
	user, kern   bool   // modifiers
}

// parseSpec reads an event specification. The error names the part that is wrong.
func parseSpec(text string) (spec, error) {
	s := spec{text: text}
	rest := text
	bad := func(format string, args ...any) (spec, error) {
		return spec{}, fmt.Errorf("event %q: %s", clip(text), fmt.Sprintf(format, args...))
	}
	switch tp, isTrace := strings.CutPrefix(text, "tracepoint:"); {
	case isTrace:
		parts := strings.Split(tp, ":")
		if len(parts) < 2 || parts[0] == "" || parts[1] == "" {
			return bad("a tracepoint is written tracepoint:SUBSYSTEM:EVENT, such as tracepoint:sched:sched_switch")
		}
		if strings.ContainsAny(parts[0]+parts[1], "/\\") || parts[0] == ".." || parts[1] == ".." {
			return bad("a tracepoint's name holds no slash")
		}
		s.system, s.trac = parts[0], parts[1]
		if len(parts) > 3 {
			return bad("too many colons")
		}
		if len(parts) == 3 {
			return s.modify(parts[2])
		}
		return s, nil
	case strings.Contains(text, "/"):
		var ok bool
		s.pmu, rest, _ = strings.Cut(text, "/")
		s.terms, rest, ok = strings.Cut(rest, "/")
		if !ok || s.pmu == "" || strings.Contains(rest, "/") {
			return bad("an event of a unit is written PMU/TERMS/, such as cpu/event=0x3c,umask=0/")
		}
		if s.pmu == ".." || s.pmu == "." {
			return bad("no unit has that name")
		}
		return s.modify(strings.TrimPrefix(rest, ":"))
	}
	name, mods, _ := strings.Cut(text, ":")
	if name == "" {
		return bad("it has no name")
	}
	s.name = name
	if hex, ok := strings.CutPrefix(name, "r"); ok && hex != "" {
		if v, err := strconv.ParseUint(hex, 16, 64); err == nil {
			s.raw, s.isRaw = v, true
		}
	}
	return s.modify(mods)
}

// modify takes in the letters after the last colon.
func (s spec) modify(mods string) (spec, error) {
	for _, m := range mods {
		switch m {
		case 'u':
			s.user = true
		case 'k', 'h':
			s.kern = true
		default:
			return spec{}, fmt.Errorf("event %q: unknown modifier %q; u counts user space only, k the kernel only",
				clip(s.text), string(m))
		}
	}
	return s, nil
}

// suffix is the modifiers as they stand in the counter's name.
func (s spec) suffix() string {
	out := ""
	if s.user {
		out += "u"
	}
	if s.kern {
		out += "k"
	}
	return out
}

// apply sets the modes that the modifiers ask for.
func (s spec) apply(e *event) {
	if s.user != s.kern {
		e.excludeKernel = s.user
		e.excludeUser = s.kern
	}
}

// isSpec reports whether a pattern describes an event instead of naming one from the list.
func isSpec(pattern string) bool {
	if strings.HasPrefix(pattern, "tracepoint:") || strings.Contains(pattern, "/") || strings.Contains(pattern, ":") {
		return true
	}
	s, err := parseSpec(pattern)
	return err == nil && s.isRaw
}

// namedEvents makes the events that a unit's folder names.
func (p *pmu) namedEvents() []event {
	var out []event
	for _, pe := range p.events {
		words, _, err := p.encode(pe.terms)
		if err != nil {
			continue
		}
		out = append(out, p.event(pe.name, words, pe))
	}
	return out
}

// event makes an event of the unit.
func (p *pmu) event(terms string, words [3]uint64, pe pmuEvent) event {
	name := p.name + "/" + terms + "/"
	unit := pe.unit
	switch {
	case unit == "":
		unit = "events"
	case len(unit) > 3 && strings.ToLower(unit[1:]) == unit[1:]:
		unit = strings.ToLower(unit) // a word, such as Joules; MiB stays as it is
	}
	e := event{
		meta: meta(name, p.name+" "+terms, unit, p.name,
			fmt.Sprintf("Event %s of the counter unit %s, as the kernel names it.", terms, p.name)),
		typ: p.typ, config: words[0], config1: words[1], config2: words[2],
		core: p.core, cpus: p.cpus, systemWide: p.cpus != nil, pmu: p.name,
	}
	if pe.scale != 0 && pe.scale != 1 {
		e.scale = pe.scale
	}
	if pe.name != "" {
		e.meta.Aliases = []string{identifier(p.name + "_" + pe.name)}
	}
	return e
}

func identifier(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, s)
}

// resolve turns a specification into an event; nil without an error means that it names none of this machine's.
func resolve(s spec, root sysroot.Root, pmus []pmu) (*event, error) {
	var e event
	switch {
	case s.system != "":
		id, err := tracepointID(root, s.system, s.trac)
		if err != nil {
			return nil, err
		}
		e = event{
			meta: meta(s.system+":"+s.trac, s.system+" "+s.trac, "events", "tracepoint",
				"Times that the kernel passed the tracepoint "+s.trac+" of "+s.system+".",
				"tracepoint:"+s.system+":"+s.trac),
			typ: typeTracepoint, config: id, kernelOnly: true,
		}
	case s.pmu != "":
		i := slices.IndexFunc(pmus, func(p pmu) bool { return p.name == s.pmu })
		if i < 0 {
			var names []string
			for _, p := range pmus {
				names = append(names, p.name)
			}
			return nil, fmt.Errorf("this machine has no counter unit %q; it has %s", clip(s.pmu), orNone(names))
		}
		words, name, err := pmus[i].encode(s.terms)
		if err != nil {
			return nil, err
		}
		var pe pmuEvent
		if k := slices.IndexFunc(pmus[i].events, func(x pmuEvent) bool { return x.name == s.terms }); k >= 0 {
			pe = pmus[i].events[k]
		}
		e = pmus[i].event(s.terms, words, pe)
		if name != "" {
			e.meta.Name, e.meta.Title = name, name
		}
	case s.isRaw:
		e = event{
			meta: meta(s.name, "Raw event "+strings.TrimPrefix(s.name, "r"), "events", "core",
				"A raw event by its number in the processor's manual."),
			typ: typeRaw, config: s.raw, core: true,
		}
	default:
		known := genericEvents()
		i := slices.IndexFunc(known, func(k event) bool { return matches(s.name, &k) })
		if i < 0 {
			return nil, nil
		}
		e = known[i]
	}
	s.apply(&e)
	if suf := s.suffix(); suf != "" {
		if !strings.HasSuffix(e.meta.Name, "/") {
			suf = ":" + suf
		}
		e.meta.Name += suf
		e.meta.Title += " (" + map[bool]string{true: "user space", false: "kernel"}[s.user && !s.kern] + ")"
	}
	// What the user typed finds the column, too.
	e.meta.Aliases = append(slices.Clone(e.meta.Aliases), s.text)
	return &e, nil
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// tracefs is where the kernel's tracing files are mounted, newest place first.
var tracefs = []string{"/sys/kernel/tracing/events", "/sys/kernel/debug/tracing/events"}

// tracepointID reads the number of a tracepoint.
func tracepointID(root sysroot.Root, system, name string) (uint64, error) {
	dir, none := tracefsDir(root)
	if none != nil {
		return 0, none
	}
	if !root.Exists(dir + "/" + system) {
		return 0, fmt.Errorf("the kernel has no tracepoints of a subsystem %q; %s lists them", clip(system), dir)
	}
	id, err := root.Uint(dir + "/" + system + "/" + name + "/id")
	if err != nil {
		return 0, fmt.Errorf("tracepoint %s:%s: %w", clip(system), clip(name), err)
	}
	return id, nil
}

// tracefsDir finds the folder of the tracepoints, or says what keeps it from being read.
func tracefsDir(root sysroot.Root) (string, *hwio.Problem) {
	for _, dir := range tracefs {
		if len(root.List(dir)) > 0 {
			return dir, nil
		}
	}
	if root.Exists("/sys/kernel/tracing") {
		return "", &hwio.Problem{
			Reason: "the tracepoints cannot be listed: tracefs is not mounted, or not readable for you",
			Fix:    "as root type mount -t tracefs nodev /sys/kernel/tracing, and run astrolabe as root",
		}
	}
	return "", &hwio.Problem{Reason: "this kernel has no tracepoints (CONFIG_FTRACE is off)"}
}
