package main

import (
	"regexp"
	"strings"
)

// numbers are facts of one equation in words: they hold for no other.
var numbers = regexp.MustCompile(`\b\d+ (bytes|clocks)\b|half rate`)

// A title is the words of what is counted and where: "Slice0 DualSubslice3 Sampler Output Ready", "L3 READ L3BANK0".
var (
	places   = regexp.MustCompile(`(?i)\b(slice|dual ?subslice|subslice|xe ?core|l3 ?bank|l3 ?node|bank|sqidi|cpipe|zpipe|gpipe|xve|thread|port|pipe|queue|box|ccs|bcs|engine)[ _]?(\d+)\b`)
	joined   = regexp.MustCompile(`([a-z])([A-Z])`)
	noise    = regexp.MustCompile(`(?i)[_ ]+`)
	dangling = regexp.MustCompile(`(?i)\b(on|of|is|from|for)\s*$`)
	// What a thread dispatcher does is said of it already.
	dispatcher = regexp.MustCompile(`(?i)\bon( \S+)* thread dispatcher\b`)
	stage      = regexp.MustCompile(`^(vs|hs|ds|gs|cl|sf|so|vf|bc|te)(\d+)$`)
	stalled    = regexp.MustCompile(`(?i)^(?:xve|eu) stall (.+)$`)
)

// waits are what threads of a vector engine wait for, by the word behind "stall".
var waits = map[string]string{
	"aluwr": "for an ALU to write its result", "barrier": "at a barrier", "control": "for control flow", "instfetch": "for instructions",
	"other": "for another reason", "pipestall": "for a pipe that was taken", "sendwr": "for a send to be written",
	"sbid":          "for a scoreboard entry, such as a load that has not returned",
	"ps dependency": "for another pixel shader thread that must come first",
}

var placeNames = map[string]string{"slice": "slice", "dualsubslice": "dual subslice", "subslice": "subslice", "xecore": "Xe-core",
	"l3bank": "L3 bank", "l3node": "L3 node", "bank": "bank", "sqidi": "memory channel (SQIDI)", "cpipe": "color pipe", "zpipe": "depth pipe",
	"gpipe": "geometry pipe", "xve": "vector engine", "thread": "thread slot", "port": "port", "pipe": "pipe", "queue": "queue", "box": "box",
	"ccs": "compute command streamer", "bcs": "copy command streamer", "engine": "engine"}

// glossary has words of titles that stand for something.
var glossary = map[string]string{
	"xve": "vector engine", "eu": "EU", "eus": "EUs", "inst": "instructions", "rt": "ray tracing", "l3": "L3", "slm": "shared local memory",
	"cs": "compute shaders", "vs": "vertex shaders", "ps": "pixel shaders", "fs": "pixel shaders", "hs": "hull shaders", "ds": "domain shaders",
	"gs": "geometry shaders", "non-ps": "non-pixel-shader", "nonps": "non-pixel-shader", "ms": "mesh shaders", "ts": "task shaders", "ahs": "any-hit shaders", "chs": "closest-hit shaders",
	"async": "asynchronous", "gpgpu": "compute", "urb": "URB (unified return buffer)", "gti": "GTI (memory interface)", "hdc": "data port (HDC)",
	"fpu": "FPU", "em": "extended math (EM)", "sys": "systolic", "xmx": "matrix (XMX)", "alu0": "ALU0", "alu1": "ALU1", "alu2": "ALU2",
	"send": "send", "amfs": "AMFS (adaptive multi-frequency shading)", "hiz": "hierarchical depth", "iz": "intermediate depth",
	"z": "depth", "ia": "input assembler", "icache": "instruction cache", "ic": "instruction cache", "tlb": "TLB", "gpu": "GPU", "bvh": "BVH",
	"sbid": "scoreboard", "aluwr": "ALU write", "instfetch": "instruction fetch", "sendwr": "send write", "pipestall": "pipe",
	"fifofull": "queue full", "superq": "memory request queue", "np": "(non-promoted depth)", "p": "(promoted depth)", "avg": "average",
	"stoc": "STOC (sub-triangle opacity culling)", "dataport": "data port", "cl": "clipper", "sf": "strips and fans", "so": "stream output",
	"vf": "vertex fetch", "te": "tessellator", "bc": "barycentric calculation", "posh": "position-only shading (POSH)",
	"gpumem": "GPU memory", "sysmem": "system memory", "mpec": "MPEC", "visa": "VISA", "32b": "of 32 bytes", "64b": "of 64 bytes",
	"fp16": "FP16", "fp32": "FP32", "fp64": "FP64", "bf16": "BF16", "int2": "INT2", "int4": "INT4", "int8": "INT8", "int16": "INT16",
	"int32": "INT32", "int64": "INT64", "mem": "memory", "ocl": "OpenCL", "postps": "post-shader", "cpipe": "color pipe",
}

// ending is what the last words of a title tell.
type ending struct {
	words     string
	percent   string // with the subject in place of %; "" where the word tells nothing of a share
	events    string
	high, low string
}

var endings = []ending{
	{"input available", "Share of core clocks in which input waited for %.", "",
		"Work waits in front of it. With little output ready beside it, it is what holds up.", "It gets little work: look at what feeds it."},
	{"output ready", "Share of core clocks in which % had output to hand on.", "",
		"It delivers, or what follows does not take it.", "It hands on little: it waits for input, or holds up."},
	{"output available", "Share of core clocks in which output of % was available.", "",
		"It delivers, or what follows does not take it.", "It hands on little: it waits for input, or holds up."},
	{"bottleneck", "Share of core clocks in which % held up the pipeline.", "", "It limits: what comes before it waits.", "It keeps up."},
	{"ready for dispatch", "Share of core clocks in which % waited to be dispatched.", "",
		"Threads wait for room in the EUs.", "Threads are dispatched at once, or there are few."},
	{"ready", "Share of core clocks in which % stood ready.", "", "What follows has work.", "Little is handed on."},
	{"stalled", "Share of core clocks in which % could not go on.", "", "It waits for what follows or for memory.", "It is hardly held up."},
	{"stall", "Share of clocks in which work waited: %.", "How often work waited: %.", "Much time is lost waiting there.", "Hardly any time is lost there."},
	{"hold", "Share of clocks in which work was held: %.", "", "Much time is lost waiting there.", "Hardly any time is lost there."},
	{"full", "Share of core clocks in which it was full: %.", "", "What feeds it has to wait.", "There is room in it."},
	{"busy", "Share of core clocks in which % had work.", "", "It is well used; near 100 it may be the limit.", "It has little work."},
	{"occupancy", "Share of thread slots that held a thread: %.", "", "Many threads are there to hide latency.", "Few threads are there to hide latency."},
	{"utilization", "Use of what could be had, as a share: %.", "", "It is well used; near 100 it is the limit.", "It is hardly used."},
	{"active", "Share of clocks with activity: %.", "", "It is well used; near 100 it may be the limit.", "It is hardly used."},
	{"hit", "", "Accesses that found what they looked for: %.", "The cache serves them; set it against all accesses.",
		"Few accesses, or most of them miss."},
	{"miss", "", "Accesses that did not find what they looked for: %.", "The cache is too small for the work, or data is used once.",
		"Few accesses, or most of them hit."},
}

// describe says what a counter means from its title, unit and place.
func describe(v map[string]string) map[string]string {
	subject, place := subject(v["title"])
	lower := strings.ToLower(subject)
	in := ""
	if place != "" {
		in = " Counted in " + place + "."
	} else if s := v["scope"]; s != "" {
		in = " Counted in one " + strings.NewReplacer("dualsubslice", "dual subslice", "subslice_bank", "bank of a subslice").Replace(s) + "."
	}
	out := map[string]string{
		"high": "Much of it happened; set it against the elapsed time or the core clocks.",
		"low":  "Little of it happened, or the sample is short.",
	}
	for _, e := range endings {
		rest, ok := strings.CutSuffix(lower, e.words)
		if !ok || rest != "" && !strings.HasSuffix(rest, " ") {
			continue
		}
		form := e.events
		if v["unit"] == "percent" {
			form = e.percent
		}
		if form == "" {
			break
		}
		what := explain(rest)
		if what == "" && place != "" && !strings.Contains(form, ": %") {
			what, in = place, ""
		}
		if !strings.Contains(form, ": %") && (what == "" || what[0] >= 'a' && !strings.HasSuffix(what, "s")) {
			what = strings.TrimSuffix("the "+what, " ")
		}
		if what == "" || strings.Contains(form, ": %") && e.words != "hit" && e.words != "miss" {
			what = explain(subject)
		}
		out["doc"], out["high"], out["low"] = strings.ReplaceAll(form, "%", what)+in, e.high, e.low
		return out
	}
	if m := stalled.FindStringSubmatch(subject); m != nil && v["unit"] == "percent" {
		why, ok := waits[strings.ToLower(m[1])]
		if !ok {
			why = "in " + explain(m[1])
		}
		out["doc"] = "Share of vector engine clocks in which threads waited " + why + "." + in
		out["high"], out["low"] = "Much time is lost waiting there.", "Hardly any time is lost there."
		return out
	}
	what := explain(subject)
	if what == "" {
		what, in = place, ""
	}
	switch v["unit"] {
	case "percent", "utilization":
		out["doc"] = "Share of clocks, in percent: " + what + "."
		out["high"], out["low"] = "It takes much of the time.", "It takes little of the time."
	case "bytes":
		out["doc"] = "Bytes: " + what + ". Divide by the elapsed time for a rate."
		out["high"], out["low"] = "Much data moves there.", "Little data moves there."
	case "gbps":
		out["doc"] = "Rate of data in gigabytes per second: " + what + "."
		out["high"], out["low"] = "Near what the memory can do it is the limit.", "Little data moves there."
	case "cycles":
		out["doc"] = "Clocks: " + what + "."
	case "ns":
		out["doc"] = "Time: " + what + "."
	case "threads", "pixels", "texels", "messages":
		out["doc"] = "Number of " + v["unit"] + ": " + what + "."
	case "number":
		out["doc"] = "A ratio: " + what + "."
	case "events":
		out["doc"] = "Number of events: " + what + "."
	default:
		out["doc"] = "In " + v["unit"] + ": " + what + "."
	}
	out["doc"] += in
	return out
}

// subject takes the places out of a title, and names them.
func subject(title string) (rest, place string) {
	title = noise.ReplaceAllString(joined.ReplaceAllString(title, "$1 $2"), " ")
	title = strings.NewReplacer("Dual Subslice", "DualSubslice", "Dual subslice", "DualSubslice", "Xe Core", "XeCore", "Gp Gpu", "GPGPU",
		"GTIL3", "GTI L3", "Hi Z", "HiZ", "Gpu Mem", "GPUMEM", "Sys Mem", "SYSMEM", "Post PS", "POSTPS").Replace(title)
	title = dispatcher.ReplaceAllStringFunc(title, func(s string) string { return s[:len(s)-len("Thread Dispatcher")] })
	var found []string
	rest = places.ReplaceAllStringFunc(title, func(s string) string {
		m := places.FindStringSubmatch(s)
		key := strings.ReplaceAll(strings.ToLower(m[1]), " ", "")
		found = append(found, placeNames[key]+" "+m[2])
		switch key {
		case "queue", "box", "engine", "pipe":
			return m[1] // the unit keeps its name
		}
		return ""
	})
	rest = strings.TrimSpace(noise.ReplaceAllString(rest, " "))
	rest = strings.TrimSpace(dangling.ReplaceAllString(rest, ""))
	return rest, strings.Join(found, ", ")
}

// explain writes out the short words of a title.
func explain(words string) string {
	var out []string
	for _, w := range strings.Fields(words) {
		key := strings.ToLower(w)
		if m := stage.FindStringSubmatch(key); m != nil {
			out = append(out, glossary[m[1]], m[2])
			continue
		}
		switch text, ok := glossary[key]; {
		case ok:
			out = append(out, text)
		case key == "is" || key == "()":
		default:
			out = append(out, key)
		}
	}
	return strings.Join(out, " ")
}
