package mali

import (
	"encoding/csv"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/uapi"
)

// named are the counters of a layout that Arm's database names, by block and index, with their names, the hardware's among them: the table of the
// readers, which the models do not read.
func named(t *testing.T, layout string) map[string][]string {
	t.Helper()
	f, err := os.Open("../../internal/mali/counters.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	for _, l := range lines[1:] {
		if l[0] == layout {
			out[l[1]+" "+l[2]] = append(strings.Fields(l[6]), l[3])
		}
	}
	return out
}

// layouts are the models with the layouts that Arm's database has them under.
var layouts = map[string]string{
	"mali-g52": "Mali-G52", "mali-g57": "Mali-G77", "mali-g72": "Mali-G72", "mali-g76": "Mali-G76", "mali-g78": "Mali-G78", "mali-g710": "Mali-G710",
	"mali-g615": "Mali-G715", "mali-g720": "Mali-G720", "mali-g925": "Mali-G725", "mali-g1": "Mali G1", "panfrost": "Mali-G52",
}

// counted lets a GPU work and hands over every sample of a client, each of at least step ns.
func counted(t *testing.T, device string, scenarios []string, samples int, step int64, each func(g *gpu, vals [][]uint64)) {
	t.Helper()
	for _, s := range specs() {
		if s.name != device {
			continue
		}
		set := &hwtest.Settings{Scenarios: scenarios, Seed: 1}
		now := int64(5e9)
		g := newGPU(s.with(set), set, now)
		acc := g.attach(now)
		for i := range samples {
			now += step + int64(i%7)*53_000
			g.take(acc, now)
			each(g, acc.vals)
			acc.reset(now)
		}
	}
}

// A counter that never moves proves nothing of where a reader finds it, nor do two that always agree.
func TestEveryNamedCounterMovesAndNoTwoAgree(t *testing.T) {
	for device, layout := range layouts {
		t.Run(device, func(t *testing.T) {
			sums, names := map[string]uint64{}, map[string]string{}
			counted(t, device, nil, 400, 4e6, func(g *gpu, vals [][]uint64) {
				for i, x := range g.instances {
					for _, r := range x.rules {
						if r.index < hiddenIndex {
							at := fmt.Sprint(x.block, " ", r.index)
							sums[at] += vals[i][r.index]
							names[at] = r.name
						}
					}
				}
			})
			want := named(t, layout)
			if len(want) < 140 {
				t.Fatalf("the table has %d counters of %s", len(want), layout)
			}
			by := map[uint64]string{}
			for at, known := range want {
				switch n := sums[at]; {
				case n == 0:
					t.Errorf("%s (%s) never moves", at, known[0])
				case by[n] != "":
					t.Errorf("%s and %s both count %d", at, by[n], n)
				case !slices.Contains(known, names[at]):
					t.Errorf("%s is %s here and %v in Arm's database", at, names[at], known)
				default:
					by[n] = at
				}
			}
			for at := range sums {
				block, _, _ := strings.Cut(at, " ")
				if want[at] == nil && slices.Contains([]string{"fe", "tiler", "memory", "core"}, block) {
					t.Errorf("%s counts, and Arm's database has no counter there", at)
				}
			}
		})
	}
}

// Arm's library takes over a device only where it knows the width of its cores, as counters per engine cannot be told apart else: of a G720 CORE_FEATURES
// of 1 and 4 exist, of a G615 0 to 4.
func TestTheWidthOfCoresExists(t *testing.T) {
	exist := map[string][]uint64{
		"mali-g52": {1, 2, 3}, "mali-g57": {1}, "mali-g72": {3}, "mali-g76": {3}, "mali-g78": {1}, "mali-g710": {2}, "mali-g615": {0, 1, 2, 3, 4},
		"mali-g720": {1, 4}, "mali-g925": {1, 4}, "mali-g1": {0, 1, 4}, "panfrost": {1, 2, 3},
	}
	for _, s := range specs() {
		b := newBoard(s)
		b.set = &hwtest.Settings{}
		for _, p := range b.properties() {
			if p.id == uapi.Const("KBASE_GPUPROP_RAW_CORE_FEATURES") && !slices.Contains(exist[s.name], p.value&15) {
				t.Errorf("%s has CORE_FEATURES %#x", s.name, p.value)
			}
		}
	}
}

// possible are sums of a block's counters that no hardware makes negative, by layout.
var possible = []struct{ layouts, block, sum, what string }{
	{"csf g57 g78 g52 g76", "core", "9+24-21", "warps that are not full"},
	{"csf g57 g78", "core", "11-14-4*9", "quads killed by others in front of them, of warps of 16"},
	{"g52 g76", "core", "11-14-2*9", "quads killed by others in front of them, of warps of 8"},
	{"g72", "core", "11-14-9", "quads killed by others in front of them, of warps of 4"},
	{"all", "core", "11-12", "quads that are not tested early"},
	{"all", "core", "12-14", "quads that pass the early test"},
	{"all", "core", "12-14-13", "quads that pass it and write nothing"},
	{"all", "core", "15-16", "tiles that pass the late test"},
	{"g615 g720 g925 g1", "core", "4*9-69", "threads that a fragment warp has room for"},
	{"g72", "core", "36-39", "texture instructions of mip maps that are not trilinear"},
	{"g52 g76", "core", "36-38", "passes without mip maps"},
	{"all", "tiler", "6-11-12-13-14", "triangles beside those that are seen or culled"},
	{"all", "tiler", "6-9-10", "triangles that face neither way"},
	{"all", "memory", "29-34-35-36", "reads with more than three quarters outstanding"},
	{"all", "memory", "42-49-50-51", "writes with more than three quarters outstanding"},
	{"all", "memory", "32-37-38-39-40-41", "beats that come later than 383 cycles"},
	{"all", "memory", "42-43-44-45-46", "writes of no kind"},
	{"jm", "fe", "6-10", "cycles without fragment work"},
	{"jm", "fe", "6-18", "cycles without vertex or compute work"},
	{"csf g78", "core", "53-4", "cycles without fragment work"},
	{"csf g78", "core", "53-22", "cycles without compute work"},
	{"g615 g720 g925", "core", "70-72-73-74-75", "rays against triangles in no bin"},
	{"g925 g1", "core", "97+98-99", "primitives of the main pass"},
	{"g925 g1", "core", "97+98-2*99", "primitives that the prepass leaves out"},
	{"g925 g1", "core", "9-2*104", "warps of the main pass beyond those of the prepass"},
	{"g925 g1", "core", "102-103", "quads that the prepass does not kill"},
	{"g925 g1", "core", "27+28+29-118", "instructions of the first slot"},
	{"g925 g1", "core", "27+28+29-119", "cycles in which both slots issue"},
	{"g925 g1", "core", "119-118", "cycles in which the first slot alone issues"},
	{"g925 g1", "core", "26-112-113-114-115-116-117", "cycles in which no unit holds a message up"},
	{"g1", "core", "78-85", "cycles of box tests that issue none"},
	{"g1", "core", "122-78", "cycles of the ray tracing unit without box tests"},
}

func TestNoSampleIsImpossible(t *testing.T) {
	cases := []struct {
		scenarios []string
		samples   int
	}{{nil, 600}, {[]string{"dvfs"}, 600}, {[]string{"wrap"}, 600},
		{[]string{"level"}, 300}}
	for _, p := range plants {
		cases = append(cases, struct {
			scenarios []string
			samples   int
		}{[]string{limitedBy + p.limiter}, 100})
	}
	for device := range layouts {
		for _, c := range cases {
			checked := 0
			counted(t, device, c.scenarios, c.samples, 300e3, func(g *gpu, vals [][]uint64) {
				for i, x := range g.instances {
					for _, p := range possible {
						in := strings.Fields(p.layouts)
						if p.block != x.block || !slices.Contains(in, "all") && !slices.Contains(in, g.spec.layout) && !slices.Contains(in, g.spec.family()) {
							continue
						}
						sum := int64(0)
						for _, term := range termsOf(p.sum) {
							sum += term.times * int64(vals[i][term.index])
						}
						if checked++; sum < 0 {
							t.Fatalf("%s %v: %d %s (%s) in a sample of %s", device, c.scenarios, sum, p.what, p.sum, x.block)
						}
					}
				}
			})
			if checked < c.samples*9 {
				t.Errorf("%s: %d sums were checked", device, checked)
			}
		}
	}
}

// A slice of the L2 gives two beats in a cycle, and gets one from memory; a unit of a core does one thing in a cycle. Over the whole, as a sample's ends may
// fall between two counters.
func TestNothingIsFasterThanItCanBe(t *testing.T) {
	for device := range layouts {
		for _, scenario := range append([]string{""}, func() (out []string) {
			for _, p := range plants {
				out = append(out, limitedBy+p.limiter)
			}
			return out
		}()...) {
			sums := map[string]uint64{}
			var spec spec
			counted(t, device, []string{scenario}, 60, 4e6, func(g *gpu, vals [][]uint64) {
				spec = g.spec
				for i, x := range g.instances {
					for _, r := range x.rules {
						if r.index < hiddenIndex {
							sums[r.name] += vals[i][r.index]
						}
					}
				}
			})
			slices, cores := uint64(spec.slices), uint64(popcount(spec.cores))
			total := func(names ...string) (n uint64) {
				for _, name := range names {
					n += sums[name]
				}
				return n
			}
			active := total("GPU_ACTIVE")
			if spec.layout == "g615" {
				active = total("GPU_ITER_ACTIVE")
			}
			core := total("EXEC_CORE_ACTIVE")
			for _, c := range []struct {
				what       string
				done, most uint64
			}{
				{"cycles of cores", core, cores * active},
				{"beats from memory", total("L2_EXT_READ_BEATS"), slices * active},
				{"cycles of stalled reads", total("L2_EXT_AR_STALL"), slices * active},
				{"beats from the L2", total("BEATS_RD_FTC", "BEATS_RD_LSC", "BEATS_RD_TEX", "BEATS_RD_OTHER", "BEATS_RD_RTU"), 2 * slices * active},
				{"beats that cores had from memory", total("BEATS_RD_FTC_EXT", "BEATS_RD_LSC_EXT", "BEATS_RD_TEX_EXT", "BEATS_RD_RTU_EXT"), 2 * slices * active},
				{"filtering", total("TEX_FILT_NUM_OPERATIONS"), core},
				{"accesses", total("LS_MEM_READ_FULL", "LS_MEM_READ_SHORT", "LS_MEM_WRITE_FULL", "LS_MEM_WRITE_SHORT", "LS_MEM_ATOMIC"), core},
				{"instructions of an engine", total("EXEC_INSTR_COUNT"), core},
				{"fused multiply-adds", total("EXEC_INSTR_FMA"), core},
				{"cycles with an instruction", total("EXEC_ISSUE_SLOT_ANY"), core},
			} {
				if c.done > c.most+c.most/50 {
					t.Errorf("%s %s: %d %s, of %d at most", device, scenario, c.done, c.what, c.most)
				}
			}
			if active == 0 || core == 0 {
				t.Errorf("%s %s: active for %d cycles, cores for %d", device, scenario, active, core)
			}
		}
	}
}
