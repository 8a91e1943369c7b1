package script

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
)

// The built-in library is shipped as text and, beside it, as what the text compiles to: to parse the scripts of a report
// took a sixth of a short one. A compiled module is used where its text and the names that it may use are those that it
// was compiled with, so that after a change of a script one that is out of date costs time and is never wrong. After a
// change of how scripts are compiled, a test fails until all are compiled anew. Programs are compressed to half of their
// size, which a report spends two milliseconds on.

// CompiledFolder is where a library has its compiled modules, in the folders of their texts.
const CompiledFolder = "compiled"

// compiledFile is the file of a compiled module in CompiledFolder, such as "triage/cpu.bin". No tool takes it for a
// script.
func compiledFile(module string) string { return strings.TrimSuffix(module, sourceSuffix) + ".bin" }

// compiledHead is the first line of the file of a compiled module. The program follows, deflated.
type compiledHead struct {
	Text  string          `json:"text"`  // SHA-256 of the module's
	Names string          `json:"names"` // SHA-256 of those that are predeclared
	Calls bool            `json:"calls,omitempty"`
	Open  bool            `json:"open,omitempty"`
	Raw   bool            `json:"raw,omitempty"`
	Flags map[string]bool `json:"flags,omitempty"`
	Loads []string        `json:"loads,omitempty"`
}

// scanned is what is known of the flags of the module.
func (h compiledHead) scanned() scanned {
	return scanned{&flagSet{calls: h.Calls, open: h.Open, raw: h.Raw, flags: h.Flags}, h.Loads}
}

// CompileLibrary compiles the modules of a library, without its tests. The result is by the names that the files have in
// CompiledFolder.
func CompileLibrary(env *binding.Env, library fs.FS) (map[string][]byte, error) {
	r := NewRunner(Options{Env: env, Library: textsOnly{library}})
	out := map[string][]byte{}
	err := fs.WalkDir(library, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, sourceSuffix) || isTestFile(name) {
			return err
		}
		m, err := r.libraryModule(name)
		if err != nil {
			return err
		}
		found := r.prepared(m).scanned()
		program, err := r.compile(m)
		if err != nil {
			return err
		}
		head := compiledHead{Text: sumOf(m.text), Names: r.namesSum(), Calls: found.set.calls, Open: found.set.open,
			Raw: found.set.raw, Flags: found.set.flags, Loads: found.loads}
		var file bytes.Buffer
		if err := json.NewEncoder(&file).Encode(head); err != nil {
			return err
		}
		if err := deflate(&file, program); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		out[compiledFile(name)] = file.Bytes()
		return nil
	})
	return out, err
}

func deflate(out io.Writer, program *starlark.Program) error {
	w, err := flate.NewWriter(out, flate.BestCompression)
	if err != nil {
		return err
	}
	if err := program.Write(w); err != nil {
		return err
	}
	return w.Close()
}

// textsOnly is a library whose modules are all compiled from their texts.
type textsOnly struct{ fs.FS }

func (l textsOnly) Open(name string) (fs.File, error) {
	if strings.HasPrefix(name, CompiledFolder+"/") {
		return nil, fs.ErrNotExist
	}
	return l.FS.Open(name)
}

func sumOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// namesSum is a hash of the names that modules of the library may use. Sessions have assert too, which changes nothing
// for a module that compiles without it.
func (r *Runner) namesSum() string {
	if r.names == "" {
		var names []string
		for name := range r.predeclared {
			if name != "assert" {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		r.names = sumOf([]byte(strings.Join(names, "\n")))
	}
	return r.names
}

// compiledModule is what the library has of a module that is compiled, false where it has to be compiled from its text.
func (r *Runner) compiledModule(m *module) (head compiledHead, code []byte, ok bool) {
	if !m.library || isTestFile(m.name) {
		return head, nil, false
	}
	file, err := fs.ReadFile(r.opt.Library, CompiledFolder+"/"+compiledFile(strings.TrimPrefix(m.key, libraryPrefix)))
	if err != nil {
		return head, nil, false
	}
	line, code, _ := bytes.Cut(file, []byte("\n"))
	ok = json.Unmarshal(line, &head) == nil && head.Text == sumOf(m.text) && head.Names == r.namesSum()
	return head, code, ok
}

// readProgram reads what a module compiles to. The code of another version of the language is an error, as is that of a
// module of another name.
func readProgram(m *module, code []byte) (*starlark.Program, error) {
	program, err := starlark.CompiledProgram(flate.NewReader(bytes.NewReader(code)))
	if err == nil && program.Filename() != m.name {
		err = fmt.Errorf("the compiled module is %s, not %s", program.Filename(), m.name)
	}
	return program, err
}
