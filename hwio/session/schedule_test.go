package session

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"astrolabe/internal/testfiles"
)

func TestLimitsAndDevicesAreThoseOfTheReference(t *testing.T) {
	cells := 0
	for _, r := range testfiles.Rows(t, "reference", "gpa_block_limits.csv") {
		l, err := gpaLimits(r["generation"], 0)
		if err != nil {
			t.Fatal(err)
		}
		if want, _ := strconv.Atoi(r["max_active_per_instance"]); l.Slots[r["block"]] != want {
			t.Errorf("%s %s: %d slots, want %d", r["generation"], r["block"], l.Slots[r["block"]], want)
		}
		cells++
	}
	total := 0
	for _, generation := range []string{"gfx6", "gfx7", "gfx8", "gfx9"} {
		l, _ := gpaLimits(generation, 0)
		total += len(l.Slots)
	}
	if total != cells {
		t.Errorf("%d blocks, the reference has %d", total, cells)
	}
	for _, r := range testfiles.Rows(t, "reference", "gpa_device_info.csv") {
		d, err := findASIC(strings.ToLower(r["asic"]))
		if err != nil {
			t.Error(err)
			continue
		}
		n := func(name string) int { v, _ := strconv.Atoi(r[name]); return v }
		want := asicConstants{r["asic"], d.Generation, n("shader_engines"), n("shader_engines") * n("sh_per_se") * n("cu_per_sh") * n("simd_per_cu"),
			n("su_clocks_prim"), n("max_sq_counters"), n("prim_pipes")}
		if d != want {
			t.Errorf("%+v, want %+v", d, want)
		}
	}
	if _, err := findASIC("nothing"); err == nil {
		t.Error("an unknown ASIC has constants")
	}
}

// rules is the reference's pass rules and algorithm, written apart from the scheduler: a pass is a list of names, and whether it may be so is
// judged from the whole list.
type rules struct {
	known map[string][3]string
	slots map[string]int // of the generation, from the reference table
	sq    int
	cap   int
}

// parts takes a name apart: the longest block of the table that fits.
func (r *rules) parts(name string) (block, instance, event string) {
	if p, ok := r.known[name]; ok {
		return p[0], p[1], p[2]
	}
	for b := range r.slots {
		if !strings.HasPrefix(name, b) || len(b) <= len(block) {
			continue
		}
		m := regexp.MustCompile("^" + b + `(\d*)_(.+)$`).FindStringSubmatch(name)
		if m != nil {
			block, instance, event = b, m[1], m[2]
		}
	}
	r.known[name] = [3]string{block, instance, event}
	return block, instance, event
}

func (r *rules) valid(pass []string) bool {
	used := map[string]int{}
	stages := map[string]map[string]bool{}
	texture, stamps := false, 0
	for _, name := range pass {
		block, instance, event := r.parts(name)
		if instance == "" {
			instance = "0"
		}
		used[block+"/"+instance]++
		if used[block+"/"+instance] > r.slots[block] {
			return false
		}
		switch {
		case block == "SQ" || strings.HasPrefix(block, "SQ_"):
			if stages[block] == nil {
				stages[block] = map[string]bool{}
			}
			stages[block][event] = true
		case slices.Contains([]string{"TA", "TD", "TCP", "TCC", "TCA"}, block):
			texture = true
		case block == "GPUTime" || block == "GPUTimeStamp":
			stamps++
		}
	}
	for _, events := range stages {
		if len(events) > r.sq {
			return false
		}
	}
	return len(stages) <= 1 && !(texture && len(stages) > 0) && (stamps == 0 || len(pass) == 1)
}

func with(pass, more []string) []string {
	out := slices.Clone(pass)
	for _, name := range more {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// passes packs the counters, each a list of names, as section 4 says.
func (r *rules) passes(counters [][]string) [][]string {
	var all [][]string
	for _, names := range counters {
		var alone [][]string
	next:
		for _, name := range names {
			for i := range alone {
				if p := with(alone[i], []string{name}); r.valid(p) {
					alone[i] = p
					continue next
				}
			}
			alone = append(alone, []string{name})
		}
		var rest [][]string
		for _, part := range alone {
			r.cap = max(r.cap, len(part))
			if !slices.ContainsFunc(all, func(p []string) bool { return len(with(p, part)) == len(p) }) {
				rest = append(rest, part)
			}
		}
		for first := 0; len(rest) > 0; first++ {
			fits := true
			for k, part := range rest {
				if first+k < len(all) {
					p := with(all[first+k], part)
					fits = fits && r.valid(p) && len(p) <= r.cap
				}
			}
			if !fits {
				continue
			}
			for k, part := range rest {
				if first+k == len(all) {
					all = append(all, nil)
				}
				all[first+k] = with(all[first+k], part)
			}
			break
		}
	}
	return all
}

// gpaNeeds are the public counters of a generation and API.
func gpaNeeds(t testing.TB, generation, api string) (needs []need, names [][]string, titles []string) {
	t.Helper()
	l, err := gpaLimits(generation, 0)
	if err != nil {
		t.Fatal(err)
	}
	list, err := gpaCounters(generation, api, l.Slots)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range list {
		if c.Kind != kindPublic {
			continue
		}
		needs = append(needs, need{kindPublic, c.Hardware})
		var n []string
		for _, h := range c.Hardware {
			n = append(n, h.Name)
		}
		names = append(names, n)
		titles = append(titles, c.Name)
	}
	return needs, names, titles
}

func referenceRules(t testing.TB, generation string) *rules {
	r := &rules{known: map[string][3]string{}, slots: map[string]int{}, sq: 8, cap: 120}
	for _, row := range testfiles.Rows(t, "reference", "gpa_block_limits.csv") {
		if strings.EqualFold(row["generation"], generation) {
			r.slots[row["block"]], _ = strconv.Atoi(row["max_active_per_instance"])
		}
	}
	return r
}

func pick[T any](list []T, order []int) []T {
	var out []T
	for _, i := range order {
		out = append(out, list[i])
	}
	return out
}

func TestPassesAreNeverMoreThanByTheReferencesRules(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 4))
	compared := 0
	for _, generation := range []string{"gfx6", "gfx7", "gfx8", "gfx9"} {
		limits, _ := gpaLimits(generation, 0)
		for _, api := range apis {
			needs, names, _ := gpaNeeds(t, generation, api)
			if len(needs) == 0 {
				continue
			}
			var orders [][]int
			for range 3 {
				perm := rng.Perm(len(needs))
				orders = append(orders, perm[:1+rng.IntN(min(12, len(perm)))])
			}
			for _, order := range orders {
				r := referenceRules(t, generation)
				want := r.passes(pick(names, order))
				got := schedule(pick(needs, order), limits)
				if len(got.passes) > len(want) {
					t.Errorf("%s %s %v: %d passes, the reference's rules give %d", generation, api, order, len(got.passes), len(want))
				}
				checkPlan(t, generation+" "+api, r, pick(names, order), got)
				compared++
			}
			// Each counter alone; DX12 and Vulkan have the programs of DX11.
			for i := range needs {
				if api == "dx12" || api == "vk" {
					break
				}
				if api == "dx11" && i%6 != 0 {
					continue // they have many instances, which the plain rules above take long for
				}
				r := referenceRules(t, generation)
				if got, want := len(schedule(needs[i:i+1], limits).passes), len(r.passes(names[i:i+1])); got != want {
					t.Errorf("%s %s %v: %d passes alone, want %d", generation, api, names[i], got, want)
				}
			}
		}
	}
	if compared < 50 {
		t.Errorf("only %d selections were compared", compared)
	}
}

// checkPlan holds every rule against a plan: each pass is valid, each operand is where the plan says, a counter that fits one pass has one.
func checkPlan(t *testing.T, what string, r *rules, names [][]string, p *plan) {
	t.Helper()
	for k, pass := range p.passes {
		var list []string
		for _, h := range pass {
			list = append(list, h.Name)
		}
		if !r.valid(list) || len(list) > r.cap {
			t.Errorf("%s: pass %d breaks the rules: %v", what, k+1, list)
		}
	}
	for i, list := range names {
		in := map[int]bool{}
		for j, name := range list {
			at := p.where[i][j]
			in[at.pass] = true
			if got := p.passes[at.pass][at.offset].Name; got != name {
				t.Errorf("%s: %s is said to be where %s is", what, name, got)
			}
		}
		if r.valid(with(nil, list)) && len(in) != 1 {
			t.Errorf("%s: counter %d fits one pass and is split over %d", what, i, len(in))
		}
	}
}

func TestAllCountersTogetherKeepTheRules(t *testing.T) {
	for _, generation := range []string{"gfx6", "gfx7", "gfx8", "gfx9"} {
		limits, _ := gpaLimits(generation, 0)
		for _, api := range []string{"gl", "cl"} {
			needs, names, _ := gpaNeeds(t, generation, api)
			r := referenceRules(t, generation)
			p := schedule(needs, limits)
			for _, need := range needs {
				r.cap = max(r.cap, len(need.hardware))
			}
			checkPlan(t, generation+" "+api, r, names, p)
			t.Logf("%s %s: %d counters in %d passes", generation, api, len(needs), len(p.passes))
		}
	}
}

func TestAnOwnLimitSplitsNoCounterThatFitsOnePass(t *testing.T) {
	limits, _ := gpaLimits("gfx8", 0)
	needs, names, titles := gpaNeeds(t, "gfx8", "gl")
	limits.Max = 2
	p := schedule(needs, limits)
	r := referenceRules(t, "gfx8")
	checkPlan(t, "max 2", r, names, p)
	for k, pass := range p.passes {
		if len(pass) <= 2 {
			continue
		}
		alone := slices.ContainsFunc(names, func(n []string) bool { return len(with(nil, n)) >= len(pass) })
		if !alone {
			t.Errorf("pass %d holds %d counters and no counter of %v needs so many", k+1, len(pass), titles)
		}
	}
}

func TestHardwareCountersByThemselvesGoToTheFirstPassThatFits(t *testing.T) {
	limits, _ := gpaLimits("gfx8", 0)
	hw := func(name string) need {
		h, err := parseHardware(name, limits.Slots)
		if err != nil {
			t.Fatal(err)
		}
		return need{KindHardware, []Hardware{h}}
	}
	soft := need{kindSoftware, []Hardware{{Name: "Occlusion", Software: true}}}
	p := schedule([]need{soft, hw("TCC0_A"), hw("SQ_A"), hw("GPUTime_A"), hw("GRBM_A"), hw("SQ_CS0_B"), hw("TCC0_B")}, limits)
	var got []string
	for _, pass := range p.passes {
		var names []string
		for _, h := range pass {
			names = append(names, h.Name)
		}
		got = append(got, strings.Join(names, " "))
	}
	want := []string{"TCC0_A GRBM_A TCC0_B Occlusion", "SQ_A", "GPUTime_A", "SQ_CS0_B"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("passes %q, want %q", got, want)
	}
}
