package remote

import (
	"debug/elf"
	"encoding/binary"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestTheDeviceThatIsMeant(t *testing.T) {
	const head = "List of devices attached\n"
	for _, c := range []struct{ list, serial, want, err string }{
		{head + "emulator-5554\tdevice\n", "", "emulator-5554", ""},
		{head + "A\tunauthorized\nB\tdevice\n", "", "B", ""},
		{head + "A\tdevice\nB\tdevice\n", "B", "B", ""},
		{head + "A\tdevice\nB\tdevice\n", "", "", "several devices: say which, as in --adb A; there is A (device), B (device)"},
		{head, "", "", "connect one by USB with debugging switched on"},
		{head, "A", "", "none that is called A"},
		{head + "A\tdevice\n", "B", "", "no device that is called B; there is A (device)"},
		{head + "A\tunauthorized\n", "", "", "allow debugging in the dialog"},
		{head + "A\toffline\n", "A", "", "adb reconnect offline"},
		{head + "A\tno permissions (missing udev rules? user is in the plugdev group); see [x]\n", "", "", "install the udev rules"},
		{head + "A\trecovery\nB\toffline\n", "", "", "no device that is ready; there is A (recovery), B (offline)"},
		{"* daemon not running; starting now at tcp:5037\n* daemon started successfully\n" + head + "A\tdevice\r\n", "", "A", ""},
	} {
		got, err := choose(deviceList(c.list), c.serial)
		if c.err == "" && (err != nil || got != c.want) || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%q, %q: %q, %v, want %q %q", c.list, c.serial, got, err, c.want, c.err)
		}
	}
}

func TestWhereADBHasItsServer(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		want string
	}{
		{nil, "127.0.0.1:5037"},
		{map[string]string{"ANDROID_ADB_SERVER_PORT": "77", "ANDROID_ADB_SERVER_ADDRESS": "::1"}, "[::1]:77"},
		{map[string]string{"ADB_SERVER_SOCKET": "tcp:5099"}, "127.0.0.1:5099"},
		{map[string]string{"ADB_SERVER_SOCKET": "tcp:farm:5"}, "farm:5"},
		{map[string]string{"ADB_SERVER_SOCKET": "localfilesystem:/x"}, ""},
	} {
		got, err := serverAddress(func(name string) string { return c.env[name] })
		if (err != nil) != (c.want == "") || err == nil && got != c.want {
			t.Errorf("%v: %q, %v, want %q", c.env, got, err, c.want)
		}
	}
}

func TestHostsThatAreFlags(t *testing.T) {
	for _, host := range []string{"", "-oProxyCommand=x", "a\nb", "a\x00"} {
		if _, err := NewSSH(host); err == nil || !strings.Contains(err.Error(), "no host") {
			t.Errorf("%q: %v", host, err)
		}
	}
	for _, serial := range []string{"-s", "a b", "a\n"} {
		if _, err := NewADB(t.Context(), serial); err == nil || !strings.Contains(err.Error(), "no serial") {
			t.Errorf("%q: %v", serial, err)
		}
	}
}

// Whatever a script holds, the sh of this machine gets it as it was.
func TestScriptsPassThroughAnyShell(t *testing.T) {
	hostile := "it's \"a\" $(x) `x` \\ \\n %s %% ! ;&|<>*? ünï\ttwo\nlines"
	s := &SSH{host: "h"}
	for _, shell := range []string{"sh", "bash", "busybox", "fish", "csh", "zsh"} {
		if _, err := exec.LookPath(shell); err != nil {
			continue
		}
		cmd := s.command(t.Context(), "printf '<%s>' "+quote(hostile))
		args := []string{"-c", cmd.Args[len(cmd.Args)-1]}
		if shell == "busybox" {
			args = append([]string{"sh"}, args...)
		}
		out, err := exec.Command(shell, args...).CombinedOutput()
		if err != nil || string(out) != "<"+hostile+">" {
			t.Errorf("%s: %q, %v", shell, out, err)
		}
	}
}

func TestScriptsSayHowTheyEnded(t *testing.T) {
	if said, err := outcome("words\r\n@@0@@\r\n"); err != nil || said != "words" {
		t.Errorf("%q, %v", said, err)
	}
	if _, err := outcome("mkdir: No space left\n@@1@@\n"); err == nil || err.Error() != "mkdir: No space left" {
		t.Error(err)
	}
	if _, err := outcome("Connection"); err == nil || !strings.Contains(err.Error(), "broke off") {
		t.Error(err)
	}
}

func TestProgramsForAnotherDevice(t *testing.T) {
	if runtime.GOOS != "linux" {
		return // this program is none for Linux
	}
	own, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "p")
	for want, spoil := range map[string]func(b []byte){
		"and the device is": func(b []byte) { binary.LittleEndian.PutUint16(b[18:], uint16(elf.EM_RISCV)) },
		"no program":        func(b []byte) { b[0] = 'x' },
	} {
		b := append([]byte(nil), own[:64<<10]...)
		b = append(b, own[64<<10:]...)
		spoil(b)
		if err := os.WriteFile(path, b, 0o700); err != nil {
			t.Fatal(err)
		}
		if _, err := findProgram(runtime.GOARCH, path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := findProgram("arm64", ""); err == nil || !strings.Contains(err.Error(), "GOARCH=arm64 go build") {
		t.Error(err)
	}
}

// An answer of a server that is none of adb's ends in words.
func TestServersThatAnswerOddly(t *testing.T) {
	for answer, want := range map[string]string{"FAIL0006device": "device", "HTTP/1.1": "says", "FAILzzzz": "says", "OK": "nothing", "FAIL0009x": "EOF"} {
		here, there := net.Pipe()
		go func() {
			_, _ = there.Read(make([]byte, 100))
			_, _ = there.Write([]byte(answer))
			there.Close()
		}()
		if err := request(here, "host:version"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", answer, err, want)
		}
		here.Close()
	}
	here, _ := net.Pipe()
	if err := request(here, strings.Repeat("x", 2000)); err == nil || !strings.Contains(err.Error(), "adb takes") {
		t.Error(err)
	}
}
