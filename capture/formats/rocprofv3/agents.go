package rocprofv3

import (
	"maps"
	"os"
	"slices"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/internal/delimited"
)

// agent is a GPU of the machine, as agent_info.csv and databases tell of it.
type agent struct {
	number        string // of the node, which dispatches name
	name, product string // such as gfx942, AMD Instinct MI300X
	numbers       map[string]float64
}

// agentConstants are the constants of a capture, by what formulas call them, and the columns of agent_info.csv that
// hold them; databases have the same names in lower case.
var agentConstants = []struct{ name, column string }{
	{"cu_per_gpu", "Cu_Count"}, {"simd_per_cu", "Simd_Per_Cu"}, {"sa_per_se", "Simd_Arrays_Per_Engine"},
	{"wave_size", "Wave_Front_Size"}, {"max_waves_per_cu", "Max_Waves_Per_Cu"},
	{"workgroup_max_size", "Workgroup_Max_Size"}, {"num_xcd", "Num_Xcc"}, {"max_sclk", "Max_Engine_Clk_Fcompute"},
}

// arrays are all arrays of SIMDs, of which a shader engine has some.
const arrays, arraysPerEngine = "Array_Count", "Simd_Arrays_Per_Engine"

// constants are the agent's constants. What is 0 is not known: of a CPU, or by an older driver.
func (a *agent) constants() map[string]float64 {
	out := map[string]float64{}
	get := func(column string) float64 { return a.numbers[strings.ToLower(column)] }
	for _, c := range agentConstants {
		if x := get(c.column); x > 0 {
			out[c.name] = x
		}
	}
	if n, per := get(arrays), get(arraysPerEngine); n > 0 && per > 0 {
		out["se_per_gpu"] = n / per
	}
	return out
}

// readAgents finds the GPUs in the file that rocprofv3 puts beside its output; without it they are unknown.
func (w *work) readAgents(prefix string) {
	path := prefix + "_" + agentsEnd
	if strings.HasSuffix(prefix, string(os.PathSeparator)) {
		path = prefix + agentsEnd
	}
	if w.agentFiles[path] {
		return
	}
	w.agentFiles[path] = true
	if w.beside != nil && w.beside(path) != nil {
		return
	}
	f, err := formats.OpenRegular(path)
	if err != nil {
		return
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return
	}
	file, err := delimited.Open(path, f, st.Size(), delimited.Options{Delim: ','})
	if err != nil {
		w.warn("%v: what the GPU has is unknown", err)
		return
	}
	const most = 256 // agents of a machine
	rows, err := file.Sample(most)
	if err != nil {
		w.warn("%v: what the GPU has is unknown", err)
		return
	}
	for _, row := range rows {
		cell := func(name string) string {
			if i := file.Index(name); i >= 0 {
				return row[i]
			}
			return ""
		}
		if kind := cell("Agent_Type"); kind != "GPU" && kind != "2" {
			continue
		}
		a := agent{number: cell("Node_Id"), name: cell("Name"), product: cell("Product_Name"),
			numbers: map[string]float64{}}
		for i, name := range file.Header {
			if x, ok := delimited.ParseFloat([]byte(row[i]), '.'); ok {
				a.numbers[strings.ToLower(name)] = x
			}
		}
		w.agents = append(w.agents, a)
	}
}

// identify says what was measured: the GPUs that dispatches name, or all where they name none. Of several the first
// gives its name, and constants are those on which all of its kind agree.
func (w *work) identify(cfg *capture.Config) {
	ran := map[string]bool{}
	for _, r := range w.runs {
		for _, d := range r.dispatches {
			ran[strings.TrimPrefix(d.agent, "Agent ")] = true
		}
	}
	list := slices.Clone(w.agents)
	if named := slices.DeleteFunc(slices.Clone(list), func(a agent) bool { return !ran[a.number] }); len(named) > 0 {
		list = named
	}
	list = slices.DeleteFunc(list, func(a agent) bool { return a.name == "" && a.product == "" })
	if len(list) == 0 {
		return
	}
	first := list[0]
	cfg.Device = capture.Device{Name: first.product, Vendor: "AMD", ID: first.name}
	if first.product == "" {
		cfg.Device.Name = first.name
	}
	if at := slices.IndexFunc(list, func(a agent) bool { return strings.HasPrefix(a.name, "gfx") }); at >= 0 {
		cfg.GPU, _, _ = strings.Cut(list[at].name, ":")
		first = list[at]
	}
	known := first.constants()
	for _, a := range list {
		if a.name != first.name {
			continue
		}
		other := a.constants()
		for name, x := range known {
			if other[name] != x {
				delete(known, name)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(known)) {
		cfg.Properties = append(cfg.Properties, capture.Property{Name: name, Number: known[name]})
	}
}
