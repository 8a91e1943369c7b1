// Package wire is what a guest's agent and the host say to each other over the guest's console: lines of JSON.
package wire

// Request is a line that the host writes to the agent, as JSON. One field beside Id is set.
type Request struct {
	ID    int
	Start []string `json:",omitempty"` // a program and its arguments: it is started, and its end is told by an Answer with Ended
	Env   []string `json:",omitempty"` // of that program, beside PATH and HOME
	// Signal ends or stops a started program.
	Signal  int    `json:",omitempty"`
	To      int    `json:",omitempty"` // the ID of its Start
	Threads bool   `json:",omitempty"` // the signal goes to each of its threads
	Read    string `json:",omitempty"` // the path of a file to send
	Write   string `json:",omitempty"` // the path of a file that exists, such as a module's parameter
	Text    string `json:",omitempty"` // what to write there
	Module  string `json:",omitempty"` // the path of a module to load
	Options string `json:",omitempty"` // the module's parameters
	Remove  string `json:",omitempty"` // the name of a module to unload
}

// Answer is a line that the agent writes. Lines that do not begin with Mark are the kernel's.
type Answer struct {
	ID     int
	Error  string `json:",omitempty"` // the request failed, and why
	Data   []byte `json:",omitempty"` // a file, compressed by gzip: the console is slow
	Ended  bool   `json:",omitempty"` // the program has ended
	Exit   int    `json:",omitempty"` // its status, -1 for one that a signal ended
	Output []byte `json:",omitempty"` // what it has written to standard output
	Errors []byte `json:",omitempty"` // and to standard error
}

// Mark begins a line of the agent's.
const Mark = "\x1e"
