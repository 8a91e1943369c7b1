package amd

// span is a range that a share is drawn from.
type span [2]float64

// content is a kind of draw or dispatch: how much of a base time each class of work would take by itself.
type content struct {
	name    string
	compute bool
	blind   bool // draws depth only, without pixel shaders
	late    bool // tests depth after the pixel shader
	tess    bool
	batches int // draws in one sample, with a barrier between any two; 0 is 1
	need    map[class]span
}

// small is what a draw needs of everything that is not said to be more.
var small = map[class]span{
	vertexFetch: {.02, .12}, arithmetic: {.12, .35}, primAssembly: {.02, .12}, rasterizer: {.1, .3}, depth: {.05, .2},
	pixelBackend: {.08, .3}, texture: {.1, .3}, loadStore: {.03, .12}, cache: {.1, .3}, bandwidth: {.1, .3},
	latency: {.05, .2},
}

// light is the same of a dispatch.
var light = map[class]span{
	arithmetic: {.12, .4}, texture: {0, .15}, loadStore: {.1, .35}, localMemory: {.02, .25}, cache: {.1, .35},
	bandwidth: {.1, .35}, latency: {.05, .3}, waveLaunch: {.03, .15},
}

var (
	most = span{.95, 1.05}
	much = span{.45, .65}
	some = span{.25, .5}
)

var contents = []content{
	{name: "shadow map", blind: true, need: map[class]span{primAssembly: most, vertexFetch: {.5, .65}, rasterizer: some, depth: some}},
	{name: "depth pass", blind: true, need: map[class]span{depth: most, rasterizer: some, primAssembly: some}},
	{name: "terrain", need: map[class]span{vertexFetch: most, primAssembly: {.4, .6}, arithmetic: some}},
	{name: "tessellated ground", tess: true, need: map[class]span{primAssembly: most, vertexFetch: much, arithmetic: some}},
	{name: "small triangles", need: map[class]span{rasterizer: most, primAssembly: some, vertexFetch: some, arithmetic: some}},
	{name: "geometry buffer", need: map[class]span{texture: most, pixelBackend: much, bandwidth: some, arithmetic: some}},
	{name: "wide targets", need: map[class]span{pixelBackend: most, bandwidth: some, texture: some}},
	{name: "foliage", late: true, need: map[class]span{depth: most, texture: much, rasterizer: some}},
	{name: "lit forward", need: map[class]span{arithmetic: most, texture: much, bandwidth: some}},
	{name: "particles", need: map[class]span{pixelBackend: most, texture: some, arithmetic: some}},
	{name: "glass", need: map[class]span{pixelBackend: most, texture: much, latency: some}},
	{name: "filtered shadows", need: map[class]span{texture: most, arithmetic: much, cache: some}},
	{name: "resolve", need: map[class]span{bandwidth: most, texture: some, pixelBackend: some}},
	{name: "tone mapping", need: map[class]span{bandwidth: most, arithmetic: much, texture: some}},
	{name: "interface", batches: 40, need: map[class]span{pixelBackend: some, texture: some}},
	{name: "windows", need: map[class]span{bandwidth: most, pixelBackend: some}},
	{name: "lighting", compute: true, need: map[class]span{arithmetic: most, texture: much, bandwidth: some}},
	{name: "occlusion", compute: true, need: map[class]span{cache: most, texture: some, arithmetic: some}},
	{name: "blur", compute: true, need: map[class]span{localMemory: most, bandwidth: some}},
	{name: "upscale", compute: true, need: map[class]span{arithmetic: most, cache: much, texture: some}},
	{name: "skinning", compute: true, need: map[class]span{bandwidth: most, loadStore: much}},
	{name: "scatter", compute: true, need: map[class]span{loadStore: most, cache: much}},
	{name: "culling", compute: true, need: map[class]span{latency: most, loadStore: some}},
	{name: "traversal", compute: true, need: map[class]span{latency: most, cache: some, arithmetic: some}},
	{name: "sort", compute: true, need: map[class]span{localMemory: most, loadStore: some}},
	{name: "matrix product", compute: true, need: map[class]span{arithmetic: most, localMemory: much, cache: some}},
	{name: "attention", compute: true, need: map[class]span{cache: most, arithmetic: much, localMemory: some}},
	{name: "normalisation", compute: true, need: map[class]span{bandwidth: most, arithmetic: some}},
	{name: "reduction", compute: true, batches: 30, need: map[class]span{bandwidth: some, latency: some}},
	{name: "colour conversion", compute: true, need: map[class]span{bandwidth: most, texture: some}},
	{name: "motion search", compute: true, need: map[class]span{loadStore: most, arithmetic: much, localMemory: some}},
	{name: "stencil", compute: true, need: map[class]span{cache: most, loadStore: some}},
	{name: "particles' motion", compute: true, need: map[class]span{arithmetic: most, bandwidth: much}},
	{name: "small groups", compute: true, need: map[class]span{waveLaunch: most, loadStore: some}},
	{name: "steps", compute: true, batches: 40, need: map[class]span{arithmetic: some}},
}

func named(name string) content {
	for _, c := range contents {
		if c.name == name {
			return c
		}
	}
	panic("amd: no content " + name)
}

// archetype is a program with the names of its passes.
type archetype struct {
	name   string
	passes []string
}

var games = []archetype{
	{"forward game", []string{"shadow map", "depth pass", "lit forward", "particles", "tone mapping", "interface"}},
	{"deferred game", []string{"culling", "shadow map", "geometry buffer", "lighting", "occlusion", "glass", "tone mapping"}},
	{"open world", []string{"terrain", "foliage", "small triangles", "shadow map", "lighting", "upscale", "interface"}},
	{"tessellated scene", []string{"tessellated ground", "geometry buffer", "filtered shadows", "lighting", "resolve"}},
	{"smoke and glass", []string{"depth pass", "particles", "glass", "lit forward", "resolve"}},
	{"compositor", []string{"windows", "blur", "interface"}},
	{"video player", []string{"colour conversion", "motion search", "resolve"}},
	{"inference", []string{"matrix product", "attention", "normalisation", "reduction"}},
	{"simulation", []string{"sort", "scatter", "particles' motion", "reduction", "particles"}},
	{"ray casting", []string{"traversal", "lighting", "blur", "upscale"}},
	{"loading screen", []string{"scatter", "skinning", "interface", "windows"}},
	{"menu", []string{"windows", "interface", "lit forward", "blur"}},
	{"strategy game", []string{"skinning", "culling", "small triangles", "geometry buffer", "wide targets", "tone mapping"}},
}

var kernels = []archetype{
	{"inference", []string{"matrix product", "attention", "normalisation", "reduction"}},
	{"simulation", []string{"sort", "scatter", "particles' motion", "reduction", "stencil"}},
	{"ray casting", []string{"traversal", "lighting", "blur", "upscale"}},
	{"video", []string{"colour conversion", "motion search", "blur", "small groups"}},
	{"solver", []string{"stencil", "normalisation", "reduction", "steps"}},
	{"graph", []string{"traversal", "scatter", "small groups", "sort"}},
	{"training", []string{"matrix product", "normalisation", "skinning", "attention", "steps"}},
}
