package script

import (
	"context"
	"errors"
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"testing"

	"astrolabe/repl"
	"astrolabe/scripts"
)

var flagTree = map[string]string{
	"gpu.star": "t = flags(wait = (60.0, \"share\"), deep_dive = False)\nout = [t.wait, t.deep_dive, t.args]\n",
	"cpu.star": "t = flags(busy = (90.0, \"share\"), loud = (True, \"say so\"))\nout = [t.busy, t.loud, t.args]\n",
	"both.star": "load(\"gpu.star\", gpu = \"out\")\nload(\"@astrolabe//lib/flags.star\", \"t\")\n" +
		"u = flags(mine = \"\")\nout = [gpu, t.depth, t.loud, u.mine, u.args]\n",
	"raw.star":   "out = args\n",
	"own.star":   "t = flags(wait = 1)\n\ndef f(args):\n    return args\n\ndef g():\n    args = {}\n    return dict(f(args = args), **args)\n",
	"plain.star": "out = 1\n",
	"bad.star":   "x = 1 +\n",
	"open.star":  "t = flags(**{\"any\": 1})\nout = t.any\n",
}

func TestScriptsOfOneRunGetTheirOwnFlags(t *testing.T) {
	tree(t, flagTree)
	r, _ := testRunner(t, Policy{}, Limits{}, "--busy", "50", "in.csv", "--wait=1", "--deep-dive", "--no-loud")
	ctx := context.Background()
	if err := r.Declare(ctx, "gpu.star", "cpu.star"); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"gpu.star": `[1.0, True, ["in.csv"]]`,
		"cpu.star": `[50.0, False, ["in.csv"]]`} {
		g, err := r.LoadFile(ctx, path)
		if err != nil || g["out"].String() != want {
			t.Errorf("%s: %v, %v; want %s", path, g["out"], err, want)
		}
	}
	if !slices.Equal(r.opt.Env.Args, []string{"--busy", "50", "in.csv", "--wait=1", "--deep-dive", "--no-loud"}) {
		t.Errorf("the arguments changed: %q", r.opt.Env.Args)
	}
	if s := r.opt.Env.Script.Name; s != "gpu.star + cpu.star" && s != "cpu.star + gpu.star" {
		t.Errorf("the provenance names %q", s)
	}
}

func TestModulesGetTheirOwnFlags(t *testing.T) {
	tree(t, flagTree)
	r, _ := testRunner(t, Policy{}, Limits{}, "--mine=m", "--wait=2", "--loud", "x", "--depth", "9")
	g, err := r.LoadFile(context.Background(), "both.star")
	if err != nil {
		t.Fatal(repl.FormatError(err, nil))
	}
	if want := `[[2.0, False, ["x"]], 9, True, "m", ["x"]]`; g["out"].String() != want {
		t.Errorf("got %s, want %s", g["out"], want)
	}
}

func TestAFlagThatNoScriptDeclaresIsAMistakeOfTheUser(t *testing.T) {
	tree(t, flagTree)
	for _, c := range []struct {
		scripts []string
		args    []string
		want    string // "" is no error
	}{
		{[]string{"gpu.star", "cpu.star"}, []string{"--wiat=1"}, "unknown flag --wiat (did you mean --wait?)"},
		{[]string{"gpu.star", "@astrolabe//lib/flags.star"}, []string{"--depth=1", "--wait", "2"}, ""},
		{[]string{"gpu.star", "cpu.star"}, []string{"--zzzzzzzz"},
			"the script has --busy, --deep-dive, --loud, --wait"},
		{[]string{"gpu.star"}, []string{"--", "--wiat"}, ""},
		{[]string{"gpu.star"}, []string{"--help"}, ""},
		{[]string{"plain.star"}, []string{"--x"}, "the script has no flags"},
		{[]string{"plain.star"}, []string{"x"}, ""},
		{[]string{"raw.star"}, []string{"--x"}, ""},
		{[]string{"open.star"}, []string{"--any=2"}, ""},
		{[]string{"own.star"}, []string{"--wiat=1"}, "unknown flag --wiat (did you mean --wait?)"},
	} {
		r, _ := testRunner(t, Policy{}, Limits{}, c.args...)
		err := r.Declare(context.Background(), c.scripts...)
		var usage *UsageError
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%q %q: %v", c.scripts, c.args, err)
		case c.want != "" && (!errors.As(err, &usage) || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%q %q: got %v, want %q", c.scripts, c.args, err, c.want)
		}
	}
	r, _ := testRunner(t, Policy{}, Limits{}, "--x")
	if _, err := r.LoadFile(context.Background(), "bad.star"); err == nil ||
		!strings.Contains(err.Error(), "a value is expected") {
		t.Errorf("a mistake in the script hides behind its flags: %v", err)
	}
	r, _ = testRunner(t, Policy{}, Limits{}, "--x", "1")
	if g, err := r.LoadFile(context.Background(), "raw.star"); err != nil || g["out"].String() != `["--x", "1"]` {
		t.Errorf("args: %v, %v", g, err)
	}
	r, _ = testRunner(t, Policy{}, Limits{}, "--any=4")
	if g, err := r.LoadFile(context.Background(), "open.star"); err != nil || g["out"].String() != "4" {
		t.Errorf("flags from a dict: %v, %v", g, err)
	}
}

func TestHelpOfAScriptIsAUsageErrorThatSaysSo(t *testing.T) {
	tree(t, flagTree)
	r, _ := testRunner(t, Policy{}, Limits{}, "--help")
	_, err := r.LoadFile(context.Background(), "gpu.star")
	var usage *UsageError
	if !errors.As(err, &usage) || !usage.Help || !strings.Contains(usage.Msg, "--deep-dive") {
		t.Errorf("got %v", err)
	}
}

// What is not looked through declares nothing: with a carriage return in a text all of it is.
func TestFlagsAreFoundWhereverTheyStand(t *testing.T) {
	texts := map[string]string{}
	for name, text := range flagTree {
		texts[name] = text
	}
	if err := fs.WalkDir(scripts.Library, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(name, ".star") {
			b, err := fs.ReadFile(scripts.Library, name)
			texts[name] = string(b)
			return err
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	texts["deep"] = "x = [\n    1,\n]\ndef f():\n    def g():\n        return flags(\n            a = 1,\n        )\n    return g\n\ny = 1\nargs\n"
	texts["lines"] = "s = \"\"\"\n\n\n\"\"\"\nt = (\n  flags\n  (b = 2))\nif True:\n    load(\"x.star\", \"y\")\nfor i in [1]:\n    load(\"z.star\", \"w\")\n"
	texts["blocks"] = "if True:\n    t = flags(c = True)\n\nu = [flags(d = 1) for _ in [1]]\nv = lambda: args\n"
	for name, text := range texts {
		read := func(text string) scanned {
			file, err := dialect().Parse(name, text, 0)
			return scanFlags([]byte(text), file, err)
		}
		got, want := read(text), read(text+"\r\n")
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v %v, and read whole %+v %v", name, got.set, got.loads, want.set, want.loads)
		}
		if name == "deep" && (!got.set.calls || !got.set.raw) || name == "lines" && len(got.loads) != 2 {
			t.Errorf("%s: %+v %v", name, got.set, got.loads)
		}
	}
}
