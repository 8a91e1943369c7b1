package kernel

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"astrolabe/capture/formats"
)

// specName is the name of the kernel for Jupyter, and of its folder.
const specName = "astrolabe"

// spec is a kernel.json: how Jupyter starts a kernel.
type spec struct {
	Argv      []string `json:"argv"`
	Display   string   `json:"display_name"`
	Language  string   `json:"language"`
	Interrupt string   `json:"interrupt_mode"`
}

// UserFolder is where Jupyter looks for the files of this user.
func UserFolder() (string, error) {
	if dir := os.Getenv("JUPYTER_DATA_DIR"); dir != "" {
		return dir, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("there is no home folder to install into (%w): name one with --prefix", err)
	}
	switch runtime.GOOS {
	case "darwin":
		return filepath.Join(home, "Library", "Jupyter"), nil
	case "windows":
		if dir := os.Getenv("APPDATA"); dir != "" {
			return filepath.Join(dir, "jupyter"), nil
		}
		return filepath.Join(home, ".jupyter", "data"), nil
	}
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "jupyter"), nil
	}
	return filepath.Join(home, ".local", "share", "jupyter"), nil
}

// PrefixFolder is where Jupyter looks below the prefix of a Python.
func PrefixFolder(prefix string) string { return filepath.Join(prefix, "share", "jupyter") }

// EnvironmentPrefix is the prefix of the environment of Python that is active.
func EnvironmentPrefix() (string, error) {
	for _, name := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		if dir := os.Getenv(name); dir != "" {
			return dir, nil
		}
	}
	return "", errors.New("no environment of Python is active (VIRTUAL_ENV and CONDA_PREFIX are not set): " +
		"activate one, or name its folder with --prefix")
}

// Install lets the Jupyter of a folder start a kernel by a command, and returns the file that says so.
func Install(folder string, command []string) (string, error) {
	dir := filepath.Join(folder, "kernels", specName)
	file := filepath.Join(dir, "kernel.json")
	if err := ours(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	data, err := json.MarshalIndent(spec{Argv: append(slices.Clone(command), "--connection-file", "{connection_file}"),
		Display: "astrolabe", Language: "starlark", Interrupt: "message"}, "", "  ")
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", fmt.Errorf("install the kernel: %w", err)
	}
	if err := os.WriteFile(file, append(data, '\n'), 0o666); err != nil {
		return "", fmt.Errorf("install the kernel: %w", err)
	}
	return file, nil
}

// Remove undoes Install and returns the folder that is gone.
func Remove(folder string) (string, error) {
	dir := filepath.Join(folder, "kernels", specName)
	file := filepath.Join(dir, "kernel.json")
	if err := ours(file); errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("no kernel is installed in %s", dir)
	} else if err != nil {
		return "", err
	}
	if err := os.Remove(file); err != nil {
		return "", fmt.Errorf("remove the kernel: %w", err)
	}
	if err := os.Remove(dir); err != nil {
		return "", fmt.Errorf("%s is removed, but its folder holds more: %w", file, err)
	}
	return dir, nil
}

// ours fails where a kernel.json starts something else than a kernel of astrolabe.
func ours(file string) error {
	data, err := formats.ReadRegular(file)
	if err != nil {
		return err
	}
	var s spec
	if json.Unmarshal(data, &s) != nil || s.Language != "starlark" || !slices.Contains(s.Argv, "kernel") {
		return fmt.Errorf("%s starts something else than astrolabe: it stays as it is", file)
	}
	return nil
}
