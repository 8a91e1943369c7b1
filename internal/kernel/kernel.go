package kernel

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/go-zeromq/zmq4"

	"astrolabe/builtins/binding"
	"astrolabe/capture/progress"
	"astrolabe/repl"
)

// Options are what a kernel needs from its surroundings.
type Options struct {
	Version string
	Log     io.Writer // what went wrong with clients; notebooks do not show it
	// Busy is how far something is that takes long, in a line.
	Busy func(what string, s progress.State, begun, now time.Time) string
	// Parent is closed when the program that started the kernel is gone; nil where nobody watches it.
	Parent <-chan struct{}
}

// Kernel serves one session to the clients of a connection.
type Kernel struct {
	opt      Options
	signer   signer
	session  *repl.Session
	env      *binding.Env // of the session
	id       string       // of the session, in messages
	shell    *socket
	control  *socket
	stdin    *socket
	iopub    *socket
	heart    *socket
	requests *inbox
	ended    chan struct{} // closed when somebody asked for the end
	end      func()

	logMu  sync.Mutex
	logged map[string]bool

	run    runState
	out    publisher
	count  int             // of cells that were remembered
	pages  []string        // what the running cell asked to be explained
	cells  []rememberedRun // of this session
	before []string        // what was remembered of earlier sessions; read when it is first asked for
	read   bool            // before was read
	format string          // of pictures
	kind   string          // of the message that shows the next picture; "" is one among others
	result string          // the text of the running cell's result
}

// parentVariable is where clients say who started a kernel.
const parentVariable = "JPY_PARENT_PID"

// runState is the running cell, for whoever interrupts it.
type runState struct {
	mu     sync.Mutex
	cancel context.CancelFunc // nil while nothing runs
	ending *binding.Ending
}

// Listen opens the sockets of a connection. Serve answers; until then clients wait.
func Listen(c *Connection, opt Options) (*Kernel, error) {
	sign, err := newSigner(c.Scheme, c.Key)
	if err != nil {
		return nil, err
	}
	k := &Kernel{opt: opt, signer: sign, id: rand.Text(), requests: newInbox(), ended: make(chan struct{}),
		logged: map[string]bool{}, format: "png"}
	k.end = sync.OnceFunc(func() { close(k.ended) })
	k.out.k = k
	for _, s := range []struct {
		to   **socket
		name string
		kind zmq4.SocketType
		port int
	}{{&k.shell, "shell", zmq4.Router, c.Shell}, {&k.control, "control", zmq4.Router, c.Control},
		{&k.stdin, "stdin", zmq4.Router, c.Stdin}, {&k.iopub, "iopub", zmq4.Pub, c.IOPub},
		{&k.heart, "heartbeat", zmq4.Router, c.Heartbeat}} {
		network, address := c.address(s.port)
		if *s.to, err = listen(s.name, s.kind, network, address); err != nil {
			k.close()
			return nil, err
		}
		(*s.to).log = k.log
	}
	if c.open() {
		k.log("the connection file has no key, so that everybody who reaches %s can run commands here", c.IP)
	}
	return k, nil
}

// log tells the log of something about clients, each text once: a client may do the same again and again.
func (k *Kernel) log(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	k.logMu.Lock()
	defer k.logMu.Unlock()
	if !k.logged[text] && len(k.logged) < maxLogged {
		k.logged[text] = true
		fmt.Fprintf(k.opt.Log, "astrolabe kernel: %s\n", text)
	}
}

// maxLogged is how many different texts the log takes.
const maxLogged = 1000

// sockets are those that could be opened.
func (k *Kernel) sockets() (open []*socket) {
	for _, s := range []*socket{k.shell, k.control, k.stdin, k.iopub, k.heart} {
		if s != nil {
			open = append(open, s)
		}
	}
	return open
}

func (k *Kernel) close() {
	for _, s := range k.sockets() {
		s.close()
	}
}

// Serve answers requests by a session and its environment until a client asks for the end, ctx ends, or the parent is
// gone.
func (k *Kernel) Serve(ctx context.Context, s *repl.Session, env *binding.Env) error {
	k.session, k.env = s, env
	defer k.close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	k.shell.received = k.reader(k.shell, k.requests.put)
	k.control.received = k.reader(k.control, k.answerControl)
	k.heart.received = k.heart.reply // the same again is a heartbeat
	k.iopub.welcome = k.welcome
	for _, s := range k.sockets() {
		go s.serve()
	}
	k.publish("status", nil, map[string]any{"execution_state": "starting"})
	worked := make(chan struct{})
	go func() {
		defer close(worked)
		k.session.StartUser(ctx)
		for {
			r, ok := k.requests.take()
			if !ok {
				return
			}
			k.answerShell(ctx, r)
		}
	}()
	select {
	case <-k.ended:
	case <-ctx.Done():
	case <-k.opt.Parent:
		k.log("the program that started the kernel is gone")
	}
	k.requests.close()
	cancel()
	select { // a recording that runs is closed
	case <-worked:
	case <-time.After(endingTime):
	}
	k.out.flush()
	for _, s := range k.sockets() {
		s.drain()
	}
	return nil
}

// endingTime is how long a cell may take to stop when the kernel ends. Clients wait about five seconds.
const endingTime = 3 * time.Second

// reader parses what a socket receives and hands requests on. What is no message is told of and left out.
func (k *Kernel) reader(s *socket, take func(request)) func(p *peer, frames [][]byte) {
	return func(p *peer, frames [][]byte) {
		m, err := k.signer.parse(frames)
		if err != nil {
			k.log("%s: a message was left out: %v", s.name, err)
			return
		}
		take(request{message: m, from: p, through: s})
	}
}

// answer sends the reply to a request.
func (k *Kernel) answer(r request, kind string, content any) {
	frames, err := k.signer.compose(newHeader(k.id, kind), r.origin, emptyObject, content)
	if err != nil {
		k.log("a reply could not be written: %v", err)
		return
	}
	r.through.reply(r.from, append(append([][]byte{}, r.ids...), frames...))
}

// publish tells all clients something about a request, nil for none.
func (k *Kernel) publish(kind string, parent json.RawMessage, content any) {
	frames, err := k.signer.compose(newHeader(k.id, kind), parent, emptyObject, content)
	if err != nil {
		k.log("%s could not be written: %v", kind, err)
		return
	}
	k.iopub.publish(append([][]byte{[]byte("kernel." + k.id + "." + kind)}, frames...))
}

// welcome tells a client that what is published from now on reaches it.
func (k *Kernel) welcome(topic string) [][]byte {
	frames, err := k.signer.compose(newHeader(k.id, "iopub_welcome"), nil, emptyObject,
		map[string]any{"subscription": topic})
	if err != nil {
		k.log("iopub_welcome could not be written: %v", err)
		return nil
	}
	return append([][]byte{[]byte(topic)}, frames...)
}

// within answers a request between the signs that it begins and is done.
func (k *Kernel) within(r request, f func()) {
	k.publish("status", r.origin, map[string]any{"execution_state": "busy"})
	defer k.publish("status", r.origin, map[string]any{"execution_state": "idle"})
	f()
}

// answerControl answers what does not wait for the running cell.
func (k *Kernel) answerControl(r request) {
	switch r.header.Type {
	case "interrupt_request":
		k.Interrupt()
		k.within(r, func() { k.answer(r, "interrupt_reply", map[string]any{"status": "ok"}) })
	case "shutdown_request":
		k.shutdown(r)
	case "debug_request":
		k.within(r, func() {
			k.answer(r, "debug_reply", failure("NotSupported", "astrolabe has no debugger"))
		})
	case "kernel_info_request":
		k.within(r, func() { k.answer(r, "kernel_info_reply", k.info()) })
	default:
		k.log("control: requests of the type %q are not known", r.header.Type)
	}
}

// shutdown ends the kernel, whatever runs.
func (k *Kernel) shutdown(r request) {
	var asked struct {
		Restart bool `json:"restart"`
	}
	if err := json.Unmarshal(r.content, &asked); err != nil {
		k.log("shutdown_request: %v", err)
	}
	content := map[string]any{"status": "ok", "restart": asked.Restart}
	k.within(r, func() {
		k.publish("shutdown_reply", r.origin, content)
		k.answer(r, "shutdown_reply", content)
	})
	k.end()
}

// answerShell answers what needs the session.
func (k *Kernel) answerShell(ctx context.Context, r request) {
	k.within(r, func() {
		switch r.header.Type {
		case "execute_request":
			k.execute(ctx, r)
		case "complete_request":
			k.complete(r)
		case "inspect_request":
			k.inspect(ctx, r)
		case "is_complete_request":
			k.isComplete(r)
		case "history_request":
			k.history(r)
		case "kernel_info_request":
			k.answer(r, "kernel_info_reply", k.info())
		case "comm_info_request":
			k.answer(r, "comm_info_reply", map[string]any{"status": "ok", "comms": struct{}{}})
		case "comm_open":
			k.refuseComm(r)
		case "comm_msg", "comm_close": // of a comm that was refused
		case "shutdown_request": // from clients before version 5.3
			k.shutdown(r)
		case "interrupt_request":
			k.answer(r, "interrupt_reply", map[string]any{"status": "ok"})
		default:
			k.log("shell: requests of the type %q are not known", r.header.Type)
		}
	})
}

// refuseComm closes what a client opens: there is nobody to talk to.
func (k *Kernel) refuseComm(r request) {
	var asked struct {
		ID     string `json:"comm_id"`
		Target string `json:"target_name"`
	}
	if err := json.Unmarshal(r.content, &asked); err != nil || asked.ID == "" {
		k.log("comm_open without a comm_id")
		return
	}
	k.log("comm_open: there is no target %q", asked.Target)
	k.publish("comm_close", r.origin, map[string]any{"comm_id": asked.ID, "data": struct{}{}})
}

// failure is the content of a reply to a request that failed.
func failure(name, text string) map[string]any {
	return map[string]any{"status": "error", "ename": name, "evalue": text, "traceback": []string{text}}
}

// Interrupt stops the running cell. Work that has a result when it ends early, such as a recording, ends first.
func (k *Kernel) Interrupt() {
	k.run.mu.Lock()
	cancel, ending := k.run.cancel, k.run.ending
	k.run.mu.Unlock()
	if cancel != nil && !ending.Interrupt() {
		cancel()
	}
}

// interruptible runs f so that Interrupt stops it. stopped is true where it did.
func (k *Kernel) interruptible(ctx context.Context, f func(context.Context) error) (stopped bool, err error) {
	run, cancel := context.WithCancel(ctx)
	defer cancel()
	run, ending := binding.WithEnding(run)
	k.run.mu.Lock()
	k.run.cancel, k.run.ending = cancel, ending
	k.run.mu.Unlock()
	defer func() {
		k.run.mu.Lock()
		k.run.cancel = nil
		k.run.mu.Unlock()
	}()
	err = f(run)
	return err != nil && run.Err() != nil && !errors.Is(err, repl.ErrQuit), err
}

// info says what this kernel is.
func (k *Kernel) info() map[string]any {
	return map[string]any{
		"status": "ok", "protocol_version": protocolVersion, "implementation": "astrolabe",
		"implementation_version": k.opt.Version,
		"language_info": map[string]any{"name": "starlark", "version": k.opt.Version, "mimetype": "text/x-starlark",
			"file_extension": ".star", "pygments_lexer": "python",
			"codemirror_mode": map[string]any{"name": "python", "version": 3}},
		"banner": "astrolabe " + k.opt.Version +
			" · cap = capture.open(\"FILE\") opens a capture, NAME? explains, help() lists what there is",
		"debugger": false, "supported_features": []string{},
		"help_links": []map[string]string{{"text": "The Starlark language",
			"url": "https://github.com/bazelbuild/starlark/blob/master/spec.md"}},
	}
}
