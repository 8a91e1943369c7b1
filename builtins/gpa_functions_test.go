package builtins_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"astrolabe/builtins"
	"astrolabe/internal/testfiles"
)

func TestEveryFunctionOfTheGPAGuideIsInTheTable(t *testing.T) {
	var b bytes.Buffer
	if err := builtins.WriteGPAFunctions(&b); err != nil {
		t.Fatal(err)
	}
	// with GetCounterUsageType, which the guide prints in another case, and without its types
	functions := map[string]bool{}
	for name := range strings.FieldsSeq(string(testfiles.Read(t, "guides", "gpa_functions.txt"))) {
		functions[strings.TrimPrefix(name, "GPA_")] = true
	}
	rows := regexp.MustCompile(`(?m)^\| GPA_(\w+) `).FindAllStringSubmatch(b.String(), -1)
	listed := map[string]bool{}
	for _, r := range rows {
		listed[r[1]] = true
		if !functions[r[1]] {
			t.Errorf("%s is not in the guide", r[1])
		}
	}
	for f := range functions {
		if !listed[f] {
			t.Errorf("GPA_%s of the guide is not in the table", f)
		}
	}
	if len(functions) != 41 {
		t.Errorf("%d functions, want 41", len(functions))
	}
}

func TestEveryCallOfTheGPATableWorks(t *testing.T) {
	var b bytes.Buffer
	if err := builtins.WriteGPAFunctions(&b); err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("(?m)^\\| GPA_(\\w+) \\| `([^`]+)` ").FindAllStringSubmatch(b.String(), -1) {
		name, call := m[1], m[2]
		r := exampleRun(t)
		prepare := map[string]string{
			"EnableCounter": "s.disable_all()", "EnableCounterStr": "s.disable_all()", "BeginPass": "s.begin_session()",
			"BeginSample": "s.begin_session(); s.begin_pass()",
			"EndSample":   "s.begin_session(); s.begin_pass(); s.begin_sample(0)",
			"EndPass":     "s.begin_session(); s.begin_pass()",
			"EndSession":  "s.begin_session(); s.begin_pass(); s.end_pass()",
		}[name]
		for old, now := range map[string]string{`"Name"`: `"GPUTime"`, "[index]": "[0]",
			"(index)": "(s.index(\"GPUTime\"))", "[n]": "[0]",
			"source)": `"amd-gpa", raw={"GPUTime_Bottom_To_Bottom": 1}, generation="gfx8", api="gl")`} {
			call = strings.ReplaceAll(call, old, now)
		}
		err := r.exec(name, "s, session, sample = ses, 1, 0\nf = print\ns.enable(\"GPUTime\")\ns.run()\n"+
			prepare+"\n"+call)
		if strings.Contains(call, "type=") && !strings.Contains(call, "float64") {
			if err == nil || !strings.Contains(err.Error(), "COUNTER_NOT_OF_SPECIFIED_TYPE") {
				t.Errorf("%s: %v", call, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %s", call, trace(err))
		}
	}
}
