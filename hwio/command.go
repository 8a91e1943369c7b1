package hwio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Command is a program to start and measure from its first instruction to its exit.
type Command struct {
	Args           []string
	Dir            string   // "" is the current folder
	Env            []string // nil is the current environment
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// PassSignals hands the signals that this program gets for ending or by users (HUP, INT, QUIT, TERM, USR1, USR2) on
	// to the command, and with that ends the recording when the command ends.
	PassSignals bool
	// Own is a signal that means something to this program and is not handed on; nil for none.
	Own os.Signal
	// Grace is how long a command that was told to end (SIGTERM) may take before it is killed; 0 is 5 s.
	Grace time.Duration
}

// Exit is how a command ended.
type Exit struct {
	Code   int    // as a shell reports it: 128 plus the number of a signal that killed it
	Signal string // name of that signal, "" if none
	Told   bool   // it ended because the recording was over
}

func (e *Exit) String() string {
	if e.Signal != "" {
		return "killed by " + e.Signal
	}
	return fmt.Sprintf("exit status %d", e.Code)
}

// gate is the shell program that waits for a line before it turns into the command, which so keeps its process number.
// Counters are attached while it waits and start counting when it executes the command.
const gate = `read -r _ <&3 || exit 125; exec 3<&-; exec "$@"`

// child is a command behind its gate, or past it.
type child struct {
	pid   int
	cmd   *exec.Cmd
	open  *os.File // the gate
	grace time.Duration
	done  chan struct{}
	exit  *Exit
	term  sync.Once
	told  atomic.Bool // it was told to end
}

// startGated starts the command behind its gate. exited is called when it has ended.
func startGated(ctx context.Context, c *Command, exited func()) (*child, error) {
	if _, err := exec.LookPath(c.Args[0]); err != nil && !errors.Is(err, exec.ErrDot) {
		return nil, fmt.Errorf("start the command: %w", err)
	}
	sh, err := exec.LookPath("sh")
	if err != nil {
		return nil, fmt.Errorf("start the command: recording a command needs a shell: %w", err)
	}
	in, out, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start the command: %w", err)
	}
	defer in.Close()
	cmd := exec.Command(sh, append([]string{"-c", gate, "sh"}, c.Args...)...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Dir, c.Env, c.Stdin, c.Stdout, c.Stderr
	cmd.ExtraFiles = []*os.File{in}
	if err := cmd.Start(); err != nil {
		out.Close()
		return nil, fmt.Errorf("start the command: %w", err)
	}
	ch := &child{pid: cmd.Process.Pid, cmd: cmd, open: out, grace: c.Grace, done: make(chan struct{})}
	if ch.grace <= 0 {
		ch.grace = 5 * time.Second
	}
	signals := make(chan os.Signal, 8)
	if c.PassSignals {
		signal.Notify(signals, slices.DeleteFunc(slices.Clone(passed), func(s os.Signal) bool { return s == c.Own })...)
	}
	go func() {
		defer close(ch.done)
		ch.exit = exitOf(cmd.Wait(), cmd.ProcessState)
		ch.exit.Told = ch.told.Load()
		signal.Stop(signals)
		exited()
	}()
	go func() {
		for {
			select {
			case s := <-signals:
				if !fromTerminal(s) {
					// It fails only where the command has just ended.
					_ = cmd.Process.Signal(s)
				}
			case <-ch.done:
				return
			}
		}
	}()
	return ch, nil
}

// release lets the command run.
func (c *child) release() error {
	_, err := c.open.WriteString("\n")
	if cerr := c.open.Close(); err == nil {
		err = cerr
	}
	c.open = nil
	if err != nil {
		return fmt.Errorf("start the command: %w", err)
	}
	return nil
}

// terminate tells the command to end, and kills it when its grace is over.
func (c *child) terminate() {
	c.term.Do(func() {
		c.told.Store(true)
		_ = c.cmd.Process.Signal(terminateSignal)
		time.AfterFunc(c.grace, func() {
			select {
			case <-c.done:
			default:
				_ = c.cmd.Process.Kill()
			}
		})
	})
}

// wait returns how the command ended.
func (c *child) wait() *Exit {
	<-c.done
	return c.exit
}

// abandon ends a command that never got through its gate. One that did has been waited for.
func (c *child) abandon() {
	if c.open != nil {
		c.open.Close()
		c.open = nil
		<-c.done
	}
}
