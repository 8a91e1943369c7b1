package kernel

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestInstallAndRemoveTouchOnlyTheirOwn(t *testing.T) {
	folder := t.TempDir()
	file, err := Install(folder, []string{"/opt/astrolabe", "kernel"})
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	var s spec
	if err != nil || json.Unmarshal(data, &s) != nil || strings.Join(s.Argv, " ") != "/opt/astrolabe kernel --connection-file {connection_file}" {
		t.Errorf("%v: %s", err, data)
	}
	if _, err := Install(folder, []string{"/elsewhere/astrolabe", "kernel"}); err != nil {
		t.Errorf("installing again: %v", err)
	}
	if _, err := Remove(folder); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Dir(file)); !os.IsNotExist(err) {
		t.Errorf("the folder: %v", err)
	}
	if _, err := Remove(folder); err == nil || !strings.Contains(err.Error(), "no kernel is installed") {
		t.Errorf("removing again: %v", err)
	}
	other := `{"argv": ["python", "-m", "x"], "language": "python"}`
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(other), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err1 := Install(folder, []string{"/opt/astrolabe", "kernel"})
	_, err2 := Remove(folder)
	data, _ = os.ReadFile(file)
	if err1 == nil || err2 == nil || string(data) != other {
		t.Errorf("%v, %v: %s", err1, err2, data)
	}
}

func TestAConnectionFileThatIsNoneIsExplained(t *testing.T) {
	whole := `"shell_port": 1, "iopub_port": 2, "stdin_port": 3, "control_port": 4, "hb_port": 5`
	for text, want := range map[string]string{
		`nothing`:                                    "no JSON",
		`{` + whole[:15] + `}`:                       "iopub_port is missing",
		`{` + whole + `, "ip": ""}`:                  "lacks ip",
		`{` + whole + `, "transport": "udp"}`:        `transport "udp"`,
		`{` + whole + `, "signature_scheme": "md5"}`: `"md5" is not known`,
		`{"shell_port": 70000` + whole[15:] + `}`:    "shell_port is missing or no port",
	} {
		path := filepath.Join(t.TempDir(), "kernel.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadConnection(path); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
