package builtins_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// chunk is a part of a test script between lines of "---". A line with ### "regexp" must fail with a matching error;
// other lines must not.
type chunk struct {
	src  string         // padded with empty lines, so that line numbers are those of the file
	line int            // first line
	want *regexp.Regexp // nil where the chunk must run to its end
	at   int            // line of the failure
}

func readChunks(t *testing.T, path string) []chunk {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []chunk
	line := 1
	for _, text := range strings.Split(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n---\n") {
		c := chunk{src: strings.Repeat("\n", line-1) + text, line: line}
		for _, l := range strings.Split(text, "\n") {
			if _, after, ok := strings.Cut(l, "###"); ok {
				pattern, err := strconv.Unquote(strings.TrimSpace(after))
				if err != nil {
					t.Fatalf("%s:%d: not a quoted regexp: %s", path, line, after)
				}
				if c.want != nil {
					t.Fatalf("%s:%d: a chunk stops at its first error, so it can expect only one", path, line)
				}
				c.want, c.at = regexp.MustCompile(pattern), line
			}
			line++
		}
		line++
		out = append(out, c)
	}
	return out
}

// TestScripts runs every chunk of testdata/*.star.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.star")
	if err != nil || len(files) == 0 {
		t.Fatalf("no test scripts: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			for _, c := range readChunks(t, file) {
				err := newRun(t).exec(file, c.src)
				switch {
				case err == nil && c.want != nil:
					t.Errorf("%s:%d: ran, want an error that matches %q", file, c.at, c.want)
				case err != nil && c.want == nil:
					t.Errorf("%s: %v", file, trace(err))
				case err != nil:
					if line := errorLine(err, file); line != c.at {
						t.Errorf("%s:%d: the error is at line %d, want %d: %v", file, c.line, line, c.at, trace(err))
					}
					if !c.want.MatchString(err.Error()) {
						t.Errorf("%s:%d: error %q does not match %q", file, c.at, err, c.want)
					}
				}
			}
		})
	}
}
