package cli

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"astrolabe/capture/formats"
	"astrolabe/capture/formats/all"
)

// What is wrong is said before there is an address.
func TestLiveSaysWhatIsWrong(t *testing.T) {
	exe := built(t)
	on, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer on.Close()
	port := fmt.Sprint(on.Addr().(*net.TCPAddr).Port)
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"--port", port}, "port " + port + " is taken by another program"},
		{[]string{"--port", "70000"}, "not between 0 and 65535"},
		{[]string{"--source", "nonsense"}, "nonsense"},
		{[]string{"--counters", "nonsense"}, "nonsense"},
		{[]string{"--set", "a,b"}, "one metric set at a time"},
		{[]string{"--window", "1m", "--last", "30s"}, "--window=1m0s is not between 0 and the 30s of --last"},
		{[]string{"--refresh", "1ms"}, "not between"},
		{[]string{"--last", "1h", "--period", "50us"}, "memory"},
		{[]string{"--judge=false", "--script", "x.star"}, "--judge=false runs no script"},
		{[]string{"--script", "nowhere.star"}, "nowhere.star"},
		{[]string{"--no-such-flag"}, "no-such-flag"},
		{[]string{"capture.arrow"}, "capture.arrow"},
	} {
		args := append([]string{"live", "--source", "procfs", "--open=false", "--max-memory", "2GiB"}, tc.args...)
		if tc.args[0] == "--source" {
			args = append([]string{"live", "--open=false"}, tc.args...)
		}
		cmd := exec.CommandContext(t.Context(), exe, args...)
		cmd.Dir = t.TempDir()
		var out, talk bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &talk
		if err := cmd.Run(); err == nil || out.Len() > 0 || !strings.Contains(talk.String(), tc.want) {
			t.Errorf("%v: %v, %q and %q, want %q", tc.args, err, out.String(), talk.String(), tc.want)
		}
	}
}

// However it ends, the file of the recording is complete, also while a page reads, and one that reads nothing.
func TestLiveThatIsEndedCompletesItsFile(t *testing.T) {
	exe := built(t)
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			dir := t.TempDir()
			cmd := exec.CommandContext(t.Context(), exe, "live", "--source", "procfs", "--open=false", "-o", "all.arrow")
			cmd.Dir = dir
			var talk bytes.Buffer
			cmd.Stderr = &talk
			stdout, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewScanner(stdout)
			if !lines.Scan() {
				t.Fatalf("no address: %v %s", cmd.Wait(), talk.Bytes())
			}
			address := lines.Text()
			base, _, _ := strings.Cut(address, "?")
			// The cookie by hand: a client that stops reading keeps its connection.
			answer, err := http.DefaultTransport.RoundTrip(request(t, address, ""))
			if err != nil {
				t.Fatal(err)
			}
			cookie, _, _ := strings.Cut(answer.Header.Get("Set-Cookie"), ";")
			for range 2 {
				answer, err := http.DefaultTransport.RoundTrip(request(t, base+"events", cookie))
				if err != nil {
					t.Fatal(err)
				}
				defer answer.Body.Close()
				if _, err := bufio.NewReader(answer.Body).ReadString('\n'); err != nil {
					t.Fatal(err)
				}
			}
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			last := ""
			for lines.Scan() {
				last = lines.Text()
			}
			if err := cmd.Wait(); err != nil || last != "all.arrow" || !strings.Contains(talk.String(), " samples of ") {
				t.Errorf("%v, printed %q, said %q", err, last, talk.String())
			}
			c, err := all.Registry().Open(t.Context(), filepath.Join(dir, "all.arrow"), formats.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range c.Warnings {
				if strings.Contains(w, "truncated") {
					t.Error(w)
				}
			}
			if c.Len() == 0 {
				t.Error("the file has no sample")
			}
		})
	}
}

func request(t *testing.T, address, cookie string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	if cookie != "" {
		r.Header.Set("Cookie", cookie)
	}
	return r
}
