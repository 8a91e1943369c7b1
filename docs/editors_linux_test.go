package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"astrolabe/hwio/hwtest/programs"
)

// The settings of editors.md are given to the editors as they stand, and these are asked what they now know of a
// script. Debian's packages neovim, emacs-nox and elpa-eglot will do; what is not installed is skipped.

const askedScript = `# gpu: mali-g720
cap = capture.open("x.csv")
print(cap["main_phase_queue_utilisation"].total())
x = cap["main_phase_q"]
print(undefined_thing)
`

// askNeovim and askEmacs print one line for a diagnostic and one for what is completed at the end of "main_phase_q",
// and of Neovim also what is said about open.
const askNeovim = `
local function ask(method, line, char)
  local p = {textDocument = vim.lsp.util.make_text_document_params(), position = {line = line, character = char}}
  for _, a in pairs(vim.lsp.buf_request_sync(0, method, p, 240000) or {}) do
    io.stdout:write(method .. " " .. vim.fn.json_encode(a.result or a.error or {}) .. "\n")
  end
end
assert(vim.wait(240000, function() return #vim.diagnostic.get(0) > 0 end, 20), "no diagnostics")
for _, d in ipairs(vim.diagnostic.get(0)) do io.stdout:write("diagnostic " .. (d.lnum + 1) .. " " .. d.message .. "\n") end
ask("textDocument/hover", 1, 15)
ask("textDocument/completion", 3, 21)
`

const askEmacs = `
(require 'eglot)
(setq eglot-connect-timeout 240 jsonrpc-default-request-timeout 240)
(defun wait-for (what) (let ((end (time-add nil 240))) (while (and (not (funcall what)) (time-less-p nil end)) (accept-process-output nil 0.1))))
(find-file "a.star")
(run-hooks 'post-command-hook)
(wait-for (lambda () (eglot-current-server)))
(flymake-start)
(wait-for (lambda () (flymake-diagnostics)))
(dolist (d (flymake-diagnostics))
  (princ (format "diagnostic %s %s\n" (line-number-at-pos (flymake-diagnostic-beg d)) (flymake-diagnostic-text d))))
(goto-char (point-min)) (forward-line 3) (end-of-line) (backward-char 2)
(princ (format "completion %S\n" (all-completions "" (nth 2 (eglot-completion-at-point)))))
`

// settingsOf is the only block of a language in editors.md.
func settingsOf(t *testing.T, language string) string {
	t.Helper()
	text, err := os.ReadFile("editors.md")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, b := range blocksOf(string(text)) {
		if b.language == language {
			found = append(found, b.text)
		}
	}
	if len(found) != 1 {
		t.Fatalf("editors.md has %d blocks of %s", len(found), language)
	}
	return found[0]
}

func TestEditorsWithTheSettingsOfThePageKnowScripts(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program")
	}
	bin := filepath.Dir(programs.Path(t, "astrolabe"))
	for _, c := range []struct {
		editor, language, settings, ask string
		args                            []string
		also                            string // a pattern of what is said besides
	}{
		{"nvim", "lua", "init.lua", askNeovim, []string{"--headless", "-u", "init.lua", "a.star", "-c", "luafile ask",
			"-c", "qa!"}, `hover .*Reads a capture file or folder`},
		{"emacs", "elisp", "init.el", askEmacs, []string{"--batch", "-f", "package-initialize", "-l", "init.el",
			"-l", "./ask"}, ""},
	} {
		t.Run(c.editor, func(t *testing.T) {
			if _, err := exec.LookPath(c.editor); err != nil {
				t.Skipf("SKIPPED: %s is not installed", c.editor)
			}
			if c.editor == "emacs" && exec.Command("emacs", "--batch", "-f", "package-initialize", "--eval",
				"(require 'eglot)").Run() != nil {
				t.Skip("SKIPPED: this Emacs has no eglot (elpa-eglot)")
			}
			dir := t.TempDir()
			for name, text := range map[string]string{c.settings: settingsOf(t, c.language), "ask": c.ask,
				"a.star": askedScript, "astrolabe.toml": ""} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.Command(c.editor, c.args...)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "HOME="+dir, "XDG_CONFIG_HOME="+dir,
				"XDG_STATE_HOME="+dir, "XDG_DATA_HOME="+dir)
			out, err := cmd.CombinedOutput()
			for _, want := range []string{
				`diagnostic 3 .*did you mean main_phase_queue_utilization`, `diagnostic 5 .*undefined: undefined_thing`,
				`completion.*main_phase_queue_active_cycles`, c.also,
			} {
				if !regexp.MustCompile(want).MatchString(string(out)) {
					t.Errorf("nothing like %q was shown: %v\n%.3000s", want, err, out)
				}
			}
			if strings.Contains(string(out), "rror detected while processing") {
				t.Errorf("the settings fail: %.3000s", out)
			}
		})
	}
}

func TestTheSettingsOfHelixAreTOML(t *testing.T) {
	var settings struct {
		Server map[string]struct {
			Command string
			Args    []string
		} `toml:"language-server"`
		Language []struct {
			FileTypes []string `toml:"file-types"`
			Servers   []string `toml:"language-servers"`
		}
	}
	if err := toml.Unmarshal([]byte(settingsOf(t, "toml")), &settings); err != nil {
		t.Fatal(err)
	}
	if s := settings.Server["astrolabe"]; s.Command != "astrolabe" || len(s.Args) != 1 || s.Args[0] != "lsp" {
		t.Errorf("the server is %+v", s)
	}
	if l := settings.Language; len(l) != 1 || l[0].FileTypes[0] != "star" || l[0].Servers[0] != "astrolabe" {
		t.Errorf("the language is %+v", l)
	}
}
