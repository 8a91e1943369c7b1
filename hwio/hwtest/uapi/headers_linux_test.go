package uapi

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// spare are members that wait for a use, and become fewer.
var spare = regexp.MustCompile(`reserved|rsvd|_res$`)

// A compiler reads the header of this system and says where the tables differ from it. Interfaces of the kernel grow at their ends: offsets and numbers
// stay, sizes of structures do not shrink, and the ends of enumerations (MAX) move.
func TestTheTablesOfPerfAreThoseOfThisSystemsHeader(t *testing.T) {
	holdHeader(t, "linux/perf_event.h", "/usr/include", 250, true)
}

// Headers of Debian 13's kernel, where they can be had: of Linux 6.12, whose tables have what came until 7.2 too.
func TestTheTablesOfXeAreThoseOfAHeader(t *testing.T) {
	holdHeader(t, "drm/xe_drm.h", os.Getenv("ASTROLABE_DEBIAN13")+"/usr/include", 150, false)
}

// holdHeader compares the tables' rows of a header with it, in a folder of headers. All rows must be there; where the tables are of a newer kernel those that
// are not are left out, but of so many that are.
func holdHeader(t *testing.T, header, folder string, least int, whole bool) {
	t.Helper()
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc here to read the kernel's headers with")
	}
	text, err := os.ReadFile(filepath.Join(folder, header))
	if err != nil {
		t.Skip("the kernel's headers are not installed (Debian: linux-libc-dev)")
	}
	word := func(text []byte, name string) bool {
		return whole || regexp.MustCompile(`\b`+regexp.QuoteMeta(name)+`\b`).Match(text)
	}
	known := func(name string) bool { return word(text, name) }
	member := func(structure, name string) bool { // of a structure that the header may not have
		_, body, there := bytes.Cut(text, []byte("struct "+structure+" {"))
		body, _, _ = bytes.Cut(body, []byte("\n};"))
		return whole || there && (strings.HasPrefix(name, "(") || word(body, name))
	}
	var b strings.Builder
	checks := 0
	check := func(name, cond string) {
		fmt.Fprintf(&b, "\tif (!(%s)) printf(\"%%s\\n\", %q);\n", cond, name)
		checks++
	}
	fmt.Fprintf(&b, "#include <stddef.h>\n#include <stdio.h>\n#include <string.h>\n#include <linux/types.h>\n#include <linux/version.h>\n#include <%s>\n", header)
	b.WriteString("#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)\nint main(void) { puts(\"OLD\"); }\n#else\nint main(void) {\n\tunsigned long long word;\n")
	kinds := map[string]string{}
	for _, r := range rows("layouts.csv") {
		if r[0] == header && strings.HasPrefix(r[2], "(") {
			kinds[r[1]] = strings.Trim(r[2], "()") + " " + r[1]
		}
	}
	for _, r := range rows("layouts.csv") {
		if r[0] != header || spare.MatchString(r[2]) || !member(r[1], r[2]) {
			continue
		}
		kind, what := kinds[r[1]], r[1]+"."+r[2]
		var bit, width int
		switch n, _ := fmt.Sscanf(r[4], "bit%d:%d", &bit, &width); {
		case strings.HasPrefix(r[2], "("):
			check(what, fmt.Sprintf("sizeof(%s) >= %s", kind, r[4]))
		case n == 2:
			fmt.Fprintf(&b, "\t{ %s x; memset(&x, 0, sizeof x); x.%s--; memcpy(&word, (char *)&x + %s, 8);\n", kind, r[2], r[3])
			check(what, fmt.Sprintf("word == ((~0ULL >> (64 - %d)) << %d)", width, bit))
			b.WriteString("\t}\n")
		case r[4] == "0": // an array without an end
			check(what, fmt.Sprintf("offsetof(%s, %s) == %s", kind, r[2], r[3]))
		default:
			check(what, fmt.Sprintf("offsetof(%s, %s) == %s && sizeof(((%s *)0)->%s) == %s", kind, r[2], r[3], kind, r[2], r[4]))
		}
	}
	for _, r := range rows("consts.csv") {
		if r[0] == header && !strings.HasSuffix(r[1], "_MAX") && !strings.HasSuffix(r[1], "_MAX_SHIFT") && r[2] != "" && known(r[1]) {
			check(r[1], fmt.Sprintf("(unsigned long long)(%s) == (unsigned long long)(%s%s)", r[1], r[2], "LL"))
		}
	}
	for _, r := range rows("ioctls.csv") {
		if r[4] == header && known(r[0]) {
			check(r[0], fmt.Sprintf("%s == %s", r[0], r[1]))
		}
	}
	b.WriteString("\treturn 0;\n}\n#endif\n")
	dir := t.TempDir()
	source, program := filepath.Join(dir, "check.c"), filepath.Join(dir, "check")
	if err := os.WriteFile(source, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(gcc, "-std=gnu11", "-O0", "-w", "-isystem", folder, "-o", program, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(program).Output()
	if err != nil {
		t.Fatal(err)
	}
	if string(out) == "OLD\n" {
		t.Skip("the kernel's headers are older than Linux 6.1, whose the tables are")
	}
	for what := range strings.Lines(string(out)) {
		t.Errorf("%s differs from the header of this system", strings.TrimSpace(what))
	}
	t.Logf("%d rows of %s", checks, header)
	if checks < least {
		t.Errorf("only %d rows were checked", checks)
	}
}
