package rdna

import (
	"math"

	"astrolabe/capture/simulate"
)

// sketches are draws and dispatches of a frame, as texts for vary. Sizes are in triangles and in shares of the picture;
// instructions are those of a pixel's whole shader unless rounds are told. What has no triangles is computed.
var sketches = []struct{ name, text string }{
	0:  {"shadow map", "triangles 300~3e5 area .01~1 colors 0 hidden 0:.4 failing .2 valu 0"},
	1:  {"depth prepass", "triangles 300~2e5 area .02~1 colors 0 hidden 0:.5 failing .2 valu 0"},
	2:  {"opaque geometry", "triangles 200~2e5 area .005~.6 colors 8|16|20|24 passes 2|4|5 hidden .05:.5 failing .05:.5 valu 50~200 tex 3:7 filter 1:2.5"},
	3:  {"forward geometry", "triangles 200~1e5 area .01~.8 colors 8 samples 1|1|2|4 hidden .05:.5 failing .05:.5 valu 100~600 tex 4:12 filter 1:2.5"},
	4:  {"foliage", "triangles 5e3~3e5 area .05~1 late 1 hidden .1 colors 12 passes 3 valu 40~150 tex 2:4 filter 1:3"},
	5:  {"particles", "triangles 200~4e4 area .2~6 zwrite 0 blend 1 colors 8 passes 2 culled .05 hidden .1 failing 0:.4 squeeze .5:1 valu 15~120 tex 1:3 filter 1:2"},
	6:  {"user interface", "triangles 2~3e3 area .001~.8 tested 0 blend 1 culled 0 valu 8~40 tex 1"},
	7:  {"post processing", "triangles 1 area 1 tested 0 colors 4|8 valu 30~500 tex 1~20 filter 1:2"},
	8:  {"small targets", "triangles 1 area .0005~.06 tested 0 colors 8 valu 20~60 tex 4:13"},
	9:  {"lighting", "area 1 valu 200~1500 tex 6:16 slots 16|24|32 stores 1"},
	10: {"ambient occlusion", "area .25|1 valu 80~400 tex 8:32 l0 .2:.6 stores 1"},
	11: {"temporal filter", "area 1 valu 120~400 tex 9:20 l2 .5:.9 stores 1"},
	12: {"blur through local memory", "area .25|1 valu 60~200 tex 2 lds 16:80 conflict 0:3 barrier 1 stores 1"},
	13: {"ray traversal", "area .25|.5|1 rounds 10:40 loads 1 lookups 20 wide 1 valu 40:90 slots 16|20|24 spread .7 active .6 parallel 1.3 l0 .3:.7 gl1 .8 l2 .1:.5 ic .5"},
	14: {"culling of instances", "area .0005~.1 valu 60~200 loads 4 lookups 4 wide 1 l0 1 gl1 .9 l2 .8 ic .6 stores 1"},
	15: {"network layer", vector + "area .1~1 rounds 4~16 valu 250 dual .3 lds 20:60 conflict 1 loads 3 barrier 1 slots 24 l0 .8 gl1 .5 l2 .3 ic .4"},
	16: {"wireframe of a large model", "triangles 1e5~3e6 area .02~.5 culled .05:.9 valu 8~40"},
	17: {"clear and copy", "triangles 1 area .05~2 tested 0 colors 4|8|16 passes 1|2 squeeze 1 valu 4 tex 0|1 l0 1 gl1 .95 l2 1 ic .9"},
	18: {"decals", "triangles 12 area .001~.1 blend 1 zwrite 0 colors 16 passes 4 valu 60~160 tex 4 filter 2"},
	19: {"terrain", "triangles 2e4~6e5 area .3:.7 colors 16 passes 4 hidden .2 valu 150~500 tex 8:20 filter 1.5:4"},
}

// scenes are frames as programs draw them: each letter is a sketch, a for the first.
var scenes = []struct{ name, parts string }{
	{"deferred game", "aaabccccccccccesjkffliiihhgg"}, {"forward game", "aabbddddddddddffhhiigggg"}, {"open world", "aaaatteeeccccccojlhh"},
	{"effects", "ddddffffffffffhhiiigg"}, {"strategy game of many small draws", "ccccccccccccccccccsssssssgggggggaah"},
	{"desktop and browser", "ggggggggggggggggrriii"}, {"CAD viewer", "qqqqqrhgg"}, {"path tracer", "nnnlmmh"}, {"hybrid of rasterizer and rays", "ccccccnjmmlh"},
	{"upscaler", "pppppprlh"}, {"video player", "rrhhggg"}, {"geometry culled by the GPU", "ooobbqqqcccj"}, {"filters of pictures", "mmmmmkkrrhhh"},
}

// drafted are draws that one thing should limit. What they lack is a kernel of planted.
var drafted = [things]string{
	filter: "triangles 500~5e3 area .4:1.5 valu 30:80 tex 6:16 filter 3:8 l0 .01:.03 squeeze .3",
	memory: "triangles 1 area 1~4 tested 0 colors 16 squeeze 1 valu 4 l0 1 l2 1 ic .9",
	fixed:  "triangles 2~100 area 1e-5~1e-3 valu 10:60 tex 1",
	fetch:  "triangles 1e5~2e6 area .003 reuse 2.2:4 culled .5:.9 vertexwork 10 valu 10",
	setup:  "triangles 3e5~3e6 area .003 reuse .3:.5 culled .02:.3 vertexwork 10 valu 10",
	scan:   "triangles 500~5e3 area 2:8 failing .7 zwrite 0 cover .15:.4 valu 4:10 slots 40 squeeze .3",
	depth:  "triangles 500~5e3 area 2:8 samples 4|8 colors 0 failing .9 cover .97 squeeze .06 valu 0",
	color:  "triangles 200~2e3 area 2:6 blend 0|1 zwrite 0 colors 8 passes 2|4 squeeze .05:.25 valu 4:10 slots 40",
}

// picture draws a job of a picture of so many pixels.
func picture(r simulate.Random, text string, pixels float64) (j job) {
	var triangles, area, reuse, work float64
	p, v := &j.shader, &j.vertex
	fields := p.fields()
	for name, x := range map[string]*float64{"triangles": &triangles, "area": &area, "reuse": &reuse, "vertexwork": &work, "culled": &j.culled,
		"cover": &j.cover, "hidden": &j.hidden, "failing": &j.failing, "tested": &j.tested, "late": &j.late, "zwrite": &j.zwrite, "samples": &j.samples,
		"colors": &j.colors, "passes": &j.passes, "blend": &j.blend, "squeeze": &j.squeeze} {
		fields[name] = x
	}
	vary(r, fields, streaming+"reuse .55:1.3 vertexwork 40:160 culled .3:.65 tested 1 zwrite 1 samples 1 colors 4 passes 1 squeeze .35:.8 rounds 0 filter 1 "+
		"group 2|4|8 slots 16|24|32|32|40 parallel 1.5:3 l0 .08:.35 gl1 .5:.85 l2 .3:.8 ic .3:1 salu 6 spread .25 written .3:1 "+text)
	p.trans = max(p.trans, 0.06*p.valu)
	if p.rounds == 0 {
		p.rounds = math.Ceil(max(1, p.tex/3))
		for _, x := range []*float64{&p.valu, &p.trans, &p.tex, &p.stores} {
			*x /= p.rounds
		}
	}
	p.rounds = math.Ceil(p.rounds)
	if triangles == 0 {
		p.waves = math.Ceil(pixels*area/32/p.group) * p.group
		return job{shader: *p}
	}
	j.draw, p.lanes, p.group = true, 64, 1
	vary(r, v.fields(), streaming+"lanes 64 group 1 slots 32 parallel 2.5 loads 1:4 lookups 4:12 wide 1 l0 .5 l2 .2:.8 ic .3:.9")
	v.valu, v.waves, j.prims = work, math.Ceil(triangles*reuse/64), min(64/reuse, triangles)
	if work == 10 || triangles == 1 {
		v.loads, v.slots = 0.3, 64
	}
	if triangles == 1 {
		j.culled = 0
	}
	if j.cover == 0 { // small triangles leave much of their quads empty
		j.cover = min(0.99, max(0.25, 1-1.3/math.Sqrt(pixels*area/max(1, v.waves*j.prims*(1-j.culled))+1)))
	}
	j.units = pixels * area / 64 / j.cover
	return j
}
