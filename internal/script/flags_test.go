package script

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"astrolabe/repl"
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
