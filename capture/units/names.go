package units

// base is a unit by itself.
type base struct {
	dim            dimension
	factor, offset float64
	whole          bool // it is not divided: there are no millibytes
}

var (
	time        = dimension{seconds: 1}
	rate        = dimension{seconds: -1, count: 1}
	bytes       = dimension{bytes: 1}
	bytesPerSec = dimension{bytes: 1, seconds: -1}
	energy      = dimension{joules: 1}
	power       = dimension{joules: 1, seconds: -1}
	temperature = dimension{kelvins: 1}
	share       = dimension{share: 1}
	count       = dimension{count: 1}
)

// bases take prefixes.
var bases = map[string]base{
	"s": {time, 1, 0, false}, "sec": {time, 1, 0, false}, "second": {time, 1, 0, false}, "seconds": {time, 1, 0, false},
	"Hz": {rate, 1, 0, false}, "hertz": {rate, 1, 0, false},
	"B": {bytes, 1, 0, true}, "byte": {bytes, 1, 0, true}, "bytes": {bytes, 1, 0, true},
	"b": {bytes, 0.125, 0, true}, "bit": {bytes, 0.125, 0, true}, "bits": {bytes, 0.125, 0, true},
	"Bps": {bytesPerSec, 1, 0, true}, "bps": {bytesPerSec, 0.125, 0, true},
	"J": {energy, 1, 0, false}, "joule": {energy, 1, 0, false}, "joules": {energy, 1, 0, false},
	"W": {power, 1, 0, false}, "watt": {power, 1, 0, false}, "watts": {power, 1, 0, false},
	"Wh": {energy, 3600, 0, false},
	"V":  {dimension{volts: 1}, 1, 0, false}, "volt": {dimension{volts: 1}, 1, 0, false},
	"volts": {dimension{volts: 1}, 1, 0, false},
	"A":     {dimension{amperes: 1}, 1, 0, false}, "ampere": {dimension{amperes: 1}, 1, 0, false},
	"amperes": {dimension{amperes: 1}, 1, 0, false},
	"°C":      {temperature, 1, 273.15, false}, "degC": {temperature, 1, 273.15, false},
	"celsius": {temperature, 1, 273.15, false},
	"K":       {temperature, 1, 0, false}, "kelvin": {temperature, 1, 0, false},
	"cy": {count, 1, 0, true}, "cyc": {count, 1, 0, true},
	"FLOP": {count, 1, 0, true}, "flop": {count, 1, 0, true}, "FLOPs": {count, 1, 0, true},
	"flops": {count, 1, 0, true},
	"FLOPS": {rate, 1, 0, true}, "IOP": {count, 1, 0, true}, "OPS": {rate, 1, 0, true},
}

// names are the units that are written as they are, beside those of bases.
var names = map[string]base{
	"min": {time, 60, 0, true}, "minute": {time, 60, 0, true}, "minutes": {time, 60, 0, true},
	"h": {time, 3600, 0, true}, "hour": {time, 3600, 0, true}, "hours": {time, 3600, 0, true},
	"day": {time, 86400, 0, true}, "days": {time, 86400, 0, true}, "d": {time, 86400, 0, true},
	"secs": {time, 1, 0, true},
	"%":    {share, 0.01, 0, true}, "percent": {share, 0.01, 0, true}, "pct": {share, 0.01, 0, true},
	"percentage": {share, 0.01, 0, true},
	"ratio":      {share, 1, 0, true}, "fraction": {share, 1, 0, true}, "permille": {share, 0.001, 0, true},
	"c": {temperature, 1, 273.15, true}, "degc": {temperature, 1, 273.15, true}, "°c": {temperature, 1, 273.15, true},
	"℃":  {temperature, 1, 273.15, true},
	"°f": {temperature, 5.0 / 9, 459.67 * 5 / 9, true}, "degf": {temperature, 5.0 / 9, 459.67 * 5 / 9, true},
	"fahrenheit": {temperature, 5.0 / 9, 459.67 * 5 / 9, true},
	"fps":        {rate, 1, 0, true}, "rpm": {rate, 1.0 / 60, 0, true}, "hz": {rate, 1, 0, true},
	"ipc": {dimension{}, 1, 0, true}, "cpi": {dimension{}, 1, 0, true},
	// logarithms, which convert into nothing
	"dbm": {dimension{share: 2}, 1, 0, true}, "db": {dimension{share: 3}, 1, 0, true},
	"octet": {bytes, 1, 0, true}, "octets": {bytes, 1, 0, true},
}

func init() {
	for name, b := range bases {
		names[name] = b
	}
}

type prefix struct {
	text   string
	factor float64 // times ten to the power of
	exp    int
}

// large reports whether it makes a unit larger.
func (p prefix) large() bool { return p.exp > 0 || p.factor > 1 }

// prefixes are those of SI and IEC, the longer first.
var prefixes = []prefix{
	{"kilo", 1, 3}, {"mega", 1, 6}, {"giga", 1, 9}, {"tera", 1, 12}, {"milli", 1, -3}, {"micro", 1, -6},
	{"nano", 1, -9},
	{"Ki", 1 << 10, 0}, {"Mi", 1 << 20, 0}, {"Gi", 1 << 30, 0}, {"Ti", 1 << 40, 0}, {"Pi", 1 << 50, 0},
	{"k", 1, 3}, {"K", 1, 3}, {"M", 1, 6}, {"G", 1, 9}, {"T", 1, 12}, {"P", 1, 15},
	{"m", 1, -3}, {"u", 1, -6}, {"µ", 1, -6}, {"μ", 1, -6}, {"n", 1, -9}, {"p", 1, -12},
}

// counted are the names of what is counted, in lower case and in the singular.
var counted = set("access", "accesse", "batch", "batche", "beat", "buffer", "burst", "call", "clk", "clock", "count",
	"cpu", "cycle", "dispatch", "dispatche", "event", "fault",
	"fragment", "frame", "inst", "instr", "instruction", "interrupt", "invocation", "issue", "item", "job", "kernel",
	"lane", "line", "message",
	"migration", "op", "operation", "packet", "page", "patch", "patche", "pixel", "primitive", "quad", "ray", "req",
	"register", "request", "reset", "response", "rotation",
	"sample", "sector", "switch", "switche", "task", "texel", "thread", "tick", "tile", "transaction", "triangle",
	"vertex", "vertexe", "vertice", "walk", "warp",
	"wave", "wave cycle", "wavefront", "word", "workgroup", "work-item", "work item", "workitem")

// plurals are names of what is counted that say so in the plural only: "L2 (read)" is a name, "L2 (reads)" has a unit.
var plurals = set("banks", "blocks", "boxes", "branches", "channels", "clients", "cores", "draws", "engines", "eus", "fetches",
	"groups", "hits",
	"misses", "nodes", "numbers", "reads", "slots",
	"pipes", "slices", "stalls", "subslices", "tests", "writes", "xcds", "xe-cores")

func set(words ...string) map[string]bool {
	out := make(map[string]bool, len(words))
	for _, w := range words {
		out[w] = true
	}
	return out
}
