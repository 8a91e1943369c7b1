package kernel

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zeromq/zmq4"
	"github.com/go-zeromq/zmq4/security/null"

	"astrolabe/builtins"
	"astrolabe/builtins/binding"
	"astrolabe/capture/progress"
	"astrolabe/repl"
)

const testKey = "a key that clients know"

// limitOfWait only guards against hanging.
const limitOfWait = 2 * time.Minute

// served is a kernel that runs in the test.
type served struct {
	*Kernel
	connection *Connection
	log        *lockedText
	done       chan error
}

// lockedText is a log.
type lockedText struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lockedText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lockedText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func freePorts(t *testing.T, n int) (ports []int) {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports
}

func serve(t *testing.T) *served {
	t.Helper()
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	p := freePorts(t, 5)
	s := &served{log: &lockedText{}, done: make(chan error, 1), connection: &Connection{Transport: "tcp", IP: "127.0.0.1",
		Shell: p[0], IOPub: p[1], Stdin: p[2], Control: p[3], Heartbeat: p[4], Key: testKey}}
	var err error
	s.Kernel, err = Listen(s.connection, Options{Version: "1", Log: s.log,
		Busy: func(what string, _ progress.State, _, _ time.Time) string { return what }})
	if err != nil {
		t.Fatal(err)
	}
	env := &binding.Env{Busy: s.Busy, Show: s.Show}
	session := repl.NewSession(repl.Config{Predeclared: builtins.Predeclared(env), Env: env, Out: s.Stdout(), Talk: s.Stderr(),
		History: "-", Display: s.Display, Page: s.Page, Clear: s.Clear, Settings: s.Settings()})
	ctx, cancel := context.WithCancel(context.Background())
	go func() { s.done <- s.Serve(ctx, session, env) }()
	t.Cleanup(func() {
		cancel()
		select {
		case <-s.done:
		case <-time.After(limitOfWait):
			t.Error("the kernel does not end")
		}
	})
	return s
}

// client talks to a kernel by zmq4's own sockets.
type client struct {
	t              *testing.T
	shell, control zmq4.Socket
	sub            zmq4.Socket
	n              int
}

func (s *served) connect(t *testing.T, identity string) *client {
	t.Helper()
	c := &client{t: t, shell: zmq4.NewDealer(t.Context(), zmq4.WithID(zmq4.SocketIdentity(identity))),
		control: zmq4.NewDealer(t.Context(), zmq4.WithID(zmq4.SocketIdentity(identity))), sub: zmq4.NewSub(t.Context())}
	for _, d := range []struct {
		socket zmq4.Socket
		port   int
	}{{c.shell, s.connection.Shell}, {c.control, s.connection.Control}, {c.sub, s.connection.IOPub}} {
		if err := d.socket.Dial(fmt.Sprintf("tcp://127.0.0.1:%d", d.port)); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { d.socket.Close() })
	}
	if err := c.sub.SetOption(zmq4.OptionSubscribe, ""); err != nil {
		t.Fatal(err)
	}
	if kind := c.next().Header.Type; kind != "iopub_welcome" {
		t.Fatalf("the first message is %s", kind)
	}
	return c
}

// received is a message as a client reads it.
type received struct {
	Header, Parent struct {
		ID   string `json:"msg_id"`
		Type string `json:"msg_type"`
	}
	Content map[string]any
}

func read(t *testing.T, socket zmq4.Socket) (r received) {
	t.Helper()
	type answer struct {
		msg zmq4.Msg
		err error
	}
	got := make(chan answer, 1)
	go func() {
		msg, err := socket.Recv()
		got <- answer{msg, err}
	}()
	select {
	case a := <-got:
		if a.err != nil {
			t.Fatal(a.err)
		}
		frames := a.msg.Frames
		for len(frames) > 0 && string(frames[0]) != "<IDS|MSG>" {
			frames = frames[1:]
		}
		if len(frames) != 6 {
			t.Fatalf("%d frames behind the identities", len(frames))
		}
		mac := hmac.New(sha256.New, []byte(testKey))
		mac.Write(bytes.Join(frames[2:], nil))
		if hex.EncodeToString(mac.Sum(nil)) != string(frames[1]) {
			t.Fatal("the signature of the kernel is wrong")
		}
		for i, to := range map[int]any{2: &r.Header, 3: &r.Parent, 5: &r.Content} {
			if err := json.Unmarshal(frames[i], to); err != nil {
				t.Fatal(err)
			}
		}
	case <-time.After(limitOfWait):
		t.Fatal("no message")
	}
	return r
}

func (c *client) next() received { return read(c.t, c.sub) }

// frames is a request as it is sent.
func (c *client) frames(kind string, content any, key string) (id string, frames [][]byte) {
	c.n++
	id = fmt.Sprintf("%p-%d", c, c.n)
	h, _ := json.Marshal(map[string]string{"msg_id": id, "msg_type": kind, "session": "s", "username": "u", "version": "5.4",
		"date": "2026-11-23T00:00:00Z"})
	body, err := json.Marshal(content)
	if err != nil {
		c.t.Fatal(err)
	}
	parts := [][]byte{h, []byte("{}"), []byte("{}"), body}
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write(bytes.Join(parts, nil))
	return id, append([][]byte{[]byte("<IDS|MSG>"), []byte(hex.EncodeToString(mac.Sum(nil)))}, parts...)
}

func (c *client) send(socket zmq4.Socket, kind string, content any) (id string) {
	id, frames := c.frames(kind, content, testKey)
	if err := socket.SendMulti(zmq4.NewMsgFrom(frames...)); err != nil {
		c.t.Fatal(err)
	}
	return id
}

func (c *client) execute(code string, more ...any) (id string) {
	content := map[string]any{"code": code, "silent": false, "store_history": true, "user_expressions": map[string]string{},
		"allow_stdin": false, "stop_on_error": true}
	for i := 0; i < len(more); i += 2 {
		content[more[i].(string)] = more[i+1]
	}
	return c.send(c.shell, "execute_request", content)
}

// until reads what is published up to the end of a request.
func (c *client) until(id string) (all []received) {
	for {
		r := c.next()
		if r.Parent.ID != id {
			continue
		}
		if r.Header.Type == "status" && r.Content["execution_state"] == "idle" {
			return all
		}
		if r.Header.Type != "status" && r.Header.Type != "execute_input" {
			all = append(all, r)
		}
	}
}

// ran runs a cell and returns what it published and its reply.
func (c *client) ran(code string, more ...any) (all []received, reply received) {
	c.t.Helper()
	id := c.execute(code, more...)
	all = c.until(id)
	if reply = read(c.t, c.shell); reply.Parent.ID != id {
		c.t.Fatalf("the reply answers %s, not %s", reply.Parent.ID, id)
	}
	return all, reply
}

// printed is what went to an output.
func printed(all []received, name string) (text string, messages int) {
	var out strings.Builder
	for _, r := range all {
		if r.Header.Type == "stream" && r.Content["name"] == name {
			out.WriteString(r.Content["text"].(string))
			messages++
		}
	}
	return out.String(), messages
}

func kinds(all []received) (out []string) {
	for _, r := range all {
		out = append(out, r.Header.Type)
	}
	return out
}

func TestACellShowsWhatItPrintsAndTheValueOfEachExpression(t *testing.T) {
	c := serve(t).connect(t, "one")
	all, reply := c.ran("1 + 1\nprint('told')\nx = 3\ntable.rows([[x]], columns=['n'])")
	if got := strings.Join(kinds(all), " "); got != "display_data stream execute_result" {
		t.Errorf("published %s", got)
	}
	if text, _ := printed(all, "stdout"); text != "told\n" {
		t.Errorf("printed %q", text)
	}
	data := all[2].Content["data"].(map[string]any)
	if !strings.Contains(data["text/html"].(string), "<table>") || !strings.Contains(data["text/plain"].(string), "n") {
		t.Errorf("the table is %v", data)
	}
	if reply.Content["status"] != "ok" || reply.Content["execution_count"] != 1.0 {
		t.Errorf("the reply is %v", reply.Content)
	}
	all, reply = c.ran("y = 1\nundefined_name")
	if got := strings.Join(kinds(all), " "); got != "error" || reply.Content["status"] != "error" {
		t.Errorf("published %s, %v", got, reply.Content)
	}
	if trace := fmt.Sprint(reply.Content["traceback"]); !strings.Contains(trace, "<cell 2>:2:1") ||
		!strings.Contains(trace, "undefined_name\n") && !strings.Contains(trace, "undefined: undefined_name") {
		t.Errorf("the traceback is %s", trace)
	}
}

func TestAMistakeAtTheEndKeepsACellFromRunning(t *testing.T) {
	c := serve(t).connect(t, "one")
	all, reply := c.ran("print('first')\n:time 1\nx = = 2\n")
	if text, _ := printed(all, "stdout"); text != "" || reply.Content["ename"] != "SyntaxError" {
		t.Errorf("printed %q, %v", text, reply.Content)
	}
}

func TestASilentCellTellsNobody(t *testing.T) {
	c := serve(t).connect(t, "one")
	all, reply := c.ran("print('x')\n7", "silent", true, "user_expressions", map[string]string{"six": "2 * 3", "bad": "1 // 0"})
	values := reply.Content["user_expressions"].(map[string]any)
	six := values["six"].(map[string]any)
	if len(all) != 0 || reply.Content["execution_count"] != 0.0 ||
		six["data"].(map[string]any)["text/plain"] != "6" || values["bad"].(map[string]any)["status"] != "error" {
		t.Errorf("published %v; %v", kinds(all), reply.Content)
	}
	if _, reply = c.ran("1", "store_history", false); reply.Content["execution_count"] != 0.0 {
		t.Errorf("a cell that is not kept counts: %v", reply.Content)
	}
}

func TestWhatWaitsBehindAFailedCellIsLeftOut(t *testing.T) {
	c := serve(t).connect(t, "one")
	// The first cell runs until the others wait.
	first := c.execute("while_running = [0 for i in range(1 << 40)]")
	var others []string
	for i := range 5 {
		others = append(others, c.execute(fmt.Sprintf("print(%d)", i)))
	}
	kept := c.send(c.shell, "kernel_info_request", struct{}{})
	for { // the first runs
		if r := c.next(); r.Parent.ID == first && r.Header.Type == "execute_input" {
			break
		}
	}
	c.send(c.control, "interrupt_request", struct{}{})
	statuses := map[string]any{}
	for range 7 {
		r := read(t, c.shell)
		statuses[r.Parent.ID] = r.Content["status"]
		if r.Parent.ID == first && r.Content["ename"] != "Interrupted" {
			t.Errorf("the reply is %v", r.Content)
		}
	}
	// Those that had not arrived when the first was interrupted run: how many depends on the machine.
	if statuses[first] != "error" || statuses[kept] != "ok" {
		t.Errorf("%v", statuses)
	}
	for _, id := range others {
		if statuses[id] != "aborted" && statuses[id] != "ok" {
			t.Errorf("%s: %v", id, statuses[id])
		}
	}
}

func TestPrintsAreCollected(t *testing.T) {
	c := serve(t).connect(t, "one")
	all, reply := c.ran("for i in range(20000):\n    print(i)\n")
	text, messages := printed(all, "stdout")
	if n := strings.Count(text, "\n"); n != 20000 || !strings.HasSuffix(text, "19999\n") || reply.Content["status"] != "ok" {
		t.Errorf("%d lines, %v", n, reply.Content)
	}
	t.Logf("20,000 prints are %d messages", messages)
	if messages > 10000 {
		t.Errorf("20,000 prints are %d messages", messages)
	}
	if testing.Short() {
		return
	}
	all, _ = c.ran("print('ä' * 10000001)")
	if text, _ := printed(all, "stdout"); len(text) != 20000003 || strings.Trim(text, "ä") != "\n" {
		t.Errorf("%d bytes of 20000003", len(text))
	}
}

func TestMessagesThatAreNoneAreLeftOut(t *testing.T) {
	s := serve(t)
	c := s.connect(t, "one")
	_, forged := c.frames("execute_request", map[string]any{"code": "print('forged')"}, "another key")
	_, whole := c.frames("execute_request", map[string]any{"code": "print('odd')"}, testKey)
	for _, frames := range [][][]byte{forged, whole[1:], whole[:4], {}, {[]byte("<IDS|MSG>")}, {nil, nil},
		append([][]byte{[]byte("x")}, whole[:5]...)} {
		if len(frames) == 0 {
			continue
		}
		if err := c.shell.SendMulti(zmq4.NewMsgFrom(frames...)); err != nil {
			t.Fatal(err)
		}
	}
	for _, content := range []any{[]int{1}, "text", map[string]any{"code": 5}, nil} { // signed, and wrong
		c.send(c.shell, "no_such_request", content)
		c.send(c.shell, "comm_open", content)
	}
	if all, _ := c.ran("print('whole')"); len(all) != 1 {
		t.Errorf("published %v", kinds(all))
	}
	if log := s.log.String(); !strings.Contains(log, "signature") || !strings.Contains(log, "frames") ||
		strings.Count(log, "no JSON object") != 1 {
		t.Errorf("the log is\n%s", log)
	}
}

func TestAConnectionThatIsNoneHarmsNobody(t *testing.T) {
	s := serve(t)
	greeting := make([]byte, greetingBytes)
	greeting[0], greeting[9], greeting[10] = 0xff, 0x7f, 3
	copy(greeting[12:], "NULL")
	huge := binary.BigEndian.AppendUint64([]byte{flagLong | flagCommand}, 1<<62)
	long := binary.BigEndian.AppendUint64([]byte{flagLong}, 1<<40)
	ready := "\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER"
	cut := "\x05READY\xffSocket"
	for _, words := range [][]byte{nil, []byte("GET / HTTP/1.1\r\n\r\n"), greeting, append(bytes.Clone(greeting), huge...),
		append(append(bytes.Clone(greeting), flagCommand, byte(len(cut))), cut...),
		append(append(append(bytes.Clone(greeting), flagCommand, byte(len(ready))), ready...), long...)} {
		for _, port := range []int{s.connection.Shell, s.connection.IOPub, s.connection.Heartbeat} {
			conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close() // it stays open and says nothing more
			if _, err := conn.Write(words); err != nil {
				t.Fatal(err)
			}
		}
	}
	c := s.connect(t, "one")
	if all, _ := c.ran("1"); len(all) != 1 {
		t.Errorf("published %v", kinds(all))
	}
}

func TestAClientThatComesBackIsAnswered(t *testing.T) {
	s := serve(t)
	lost := s.connect(t, "the same")
	id := lost.execute("[0 for i in range(1 << 40)]")
	for r := lost.next(); r.Parent.ID != id || r.Header.Type != "execute_input"; r = lost.next() {
	}
	lost.shell.Close() // before the answer
	back := s.connect(t, "the same")
	back.send(back.control, "interrupt_request", struct{}{})
	if r := read(t, back.shell); r.Parent.ID != id || r.Content["ename"] != "Interrupted" {
		t.Errorf("%v", r)
	}
	for range 5 {
		c := s.connect(t, "the same")
		if _, reply := c.ran("1"); reply.Content["status"] != "ok" {
			t.Errorf("%v", reply.Content)
		}
		// The connections stay open: that they are of no use any more is not known.
	}
}

func TestASubscriberThatDoesNotReadIsHungUpOn(t *testing.T) {
	s := serve(t)
	c := s.connect(t, "one")
	conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", s.connection.IOPub))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	slow, err := zmq4.Open(conn, null.Security(), zmq4.Sub, nil, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := slow.SendMsg(zmq4.NewMsg([]byte{1})); err != nil {
		t.Fatal(err)
	}
	if _, err := slow.RecvMsg(); err != nil { // it is subscribed
		t.Fatal(err)
	}
	for _, p := range s.iopub.present() {
		if p.mu.Lock(); strings.HasPrefix(p.id, "\x00") { // zmq4's sockets have a name
			p.patience = 100 * time.Millisecond
		}
		p.mu.Unlock()
	}
	done := make(chan struct{})
	go func() { // the other client reads all the time
		defer close(done)
		_, reply := c.ran("for i in range(100):\n    print('x' * (2 << 20))\n")
		if reply.Content["status"] != "ok" {
			t.Errorf("%v", reply.Content)
		}
	}()
	var largest int
	for waiting := true; waiting; {
		for _, p := range s.iopub.present() {
			p.mu.Lock()
			largest = max(largest, p.bytes)
			p.mu.Unlock()
		}
		select {
		case <-done:
			waiting = false
		case <-time.After(time.Millisecond):
		}
	}
	if largest > queueBytes {
		t.Errorf("%d bytes waited for a client", largest)
	}
	if _, err := io.Copy(io.Discard, conn); err != nil && !strings.Contains(err.Error(), "reset") {
		t.Error(err)
	}
	if log := s.log.String(); !strings.Contains(log, "has read nothing") {
		t.Errorf("the log is\n%s", log)
	}
}

func TestLongWorkIsOneOutputThatChanges(t *testing.T) {
	s := serve(t)
	c := s.connect(t, "one")
	_, done := s.Busy(t.Context(), "reading") // until it has been told of twice
	var shown []received
	for len(shown) < 2 {
		if r := c.next(); r.Header.Type != "status" {
			shown = append(shown, r)
		}
	}
	done()
	for last := c.next(); ; last = c.next() { // more may have been on the way
		shown = append(shown, last)
		if text := last.Content["data"].(map[string]any)["text/plain"]; text != "reading" {
			if !strings.HasPrefix(text.(string), "reading: ") {
				t.Errorf("at the end it says %s", text)
			}
			break
		}
	}
	id := shown[0].Content["transient"].(map[string]any)["display_id"]
	for i, r := range shown {
		want := "update_display_data"
		if i == 0 {
			want = "display_data"
		}
		if r.Header.Type != want || r.Content["transient"].(map[string]any)["display_id"] != id || id == "" {
			t.Errorf("%d: %s %v", i, r.Header.Type, r.Content)
		}
	}
	_, done = s.Busy(t.Context(), "soon over")
	done()
	if all, _ := c.ran("1"); strings.Join(kinds(all), " ") != "execute_result" {
		t.Errorf("published %v", kinds(all))
	}
}

func TestShutdownEndsARunningCell(t *testing.T) {
	s := serve(t)
	c := s.connect(t, "one")
	id := c.execute("def f():\n    for i in range(1 << 60):\n        pass\nf()")
	for r := c.next(); r.Parent.ID != id || r.Header.Type != "execute_input"; r = c.next() {
	}
	c.send(c.control, "shutdown_request", map[string]bool{"restart": true})
	if r := read(t, c.control); r.Header.Type != "shutdown_reply" || r.Content["restart"] != true {
		t.Errorf("%v", r)
	}
	select {
	case err := <-s.done:
		s.done <- err
	case <-time.After(limitOfWait):
		t.Fatal("the kernel does not end")
	}
}

func TestWhatThereIsNotIsRefused(t *testing.T) {
	c := serve(t).connect(t, "one")
	c.send(c.control, "debug_request", map[string]any{"command": "initialize"})
	if r := read(t, c.control); r.Header.Type != "debug_reply" || r.Content["status"] != "error" {
		t.Errorf("%v", r)
	}
	id := c.send(c.shell, "comm_open", map[string]any{"comm_id": "abc", "target_name": "jupyter.widget", "data": struct{}{}})
	if all := c.until(id); len(all) != 1 || all[0].Header.Type != "comm_close" || all[0].Content["comm_id"] != "abc" {
		t.Errorf("%v", all)
	}
	all, reply := c.ran("input('name? ')", "allow_stdin", true)
	if reply.Content["status"] != "error" || !strings.Contains(fmt.Sprint(reply.Content["evalue"]), "scripts ask nothing") {
		t.Errorf("%v %v", kinds(all), reply.Content)
	}
}
