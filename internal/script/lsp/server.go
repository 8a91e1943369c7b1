package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sync"

	"go.lsp.dev/jsonrpc2"

	"astrolabe/internal/script"
	"astrolabe/internal/script/infer"
	"astrolabe/internal/script/lint"
)

// Options is what a server needs.
type Options struct {
	Library fs.FS     // the built-in scripts
	Version string    // of astrolabe
	Cache   string    // folder where files of the library are put for editors to show; "" shows none
	Talk    io.Writer // what went wrong, for people
}

// errExit says that the client ended the server without asking it to shut down first.
var errExit = errors.New("the client ended the session without shutting it down")

// server answers one client. Its handler runs on one goroutine, so nothing is locked.
type server struct {
	opt    Options
	reader *script.Reader
	docs   map[string]*document // those that are open, by URI
	conn   jsonrpc2.Conn

	shutdown bool
	exit     chan struct{}
	leave    func() // closes exit
}

// Serve answers the client at the other end of rw until it says goodbye or goes away, or ctx is done. What the client
// sends is never trusted to make sense: it is answered with an error, and the session goes on where the framing lets
// it.
func Serve(ctx context.Context, rw io.ReadWriteCloser, opt Options) error {
	s := newServer(opt)
	s.conn = jsonrpc2.NewConn(newStream(rw))
	s.conn.Go(ctx, s.handle)
	select {
	case <-s.conn.Done():
		return s.conn.Err()
	case <-ctx.Done():
		return ctx.Err()
	case <-s.exit:
	}
	if !s.shutdown {
		return errExit
	}
	return nil
}

func newServer(opt Options) *server {
	s := &server{opt: opt, reader: script.NewReader(opt.Library), docs: map[string]*document{},
		exit: make(chan struct{})}
	s.leave = sync.OnceFunc(func() { close(s.exit) })
	s.reader.Unsaved = s.unsaved
	return s
}

// handle answers one message. Mistakes in this package are answered as errors, so that an editor loses an answer and
// not its server.
func (s *server) handle(ctx context.Context, req *jsonrpc2.Request) (result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(s.opt.Talk, "astrolabe lsp: internal error in %s: %v\n", req.Method(), p)
			result, err = nil, nil
			if req.IsCall() {
				err = jsonrpc2.Errorf(jsonrpc2.InternalError, "internal error: %v", p)
			}
		}
	}()
	result, err = s.answer(ctx, req.Method(), req.Params())
	switch {
	case err == nil:
		return result, nil
	case !req.IsCall(): // there is nobody to tell, and an error would end the session
		fmt.Fprintf(s.opt.Talk, "astrolabe lsp: %s: %v\n", req.Method(), err)
		return nil, nil
	}
	return nil, err
}

func (s *server) answer(ctx context.Context, method string, params []byte) (any, error) {
	switch method {
	case "initialize":
		return initializeResult{
			Capabilities: capabilities{
				TextDocumentSync:   syncOptions{OpenClose: true, Change: 1, Save: true},
				CompletionProvider: completionOptions{TriggerCharacters: []string{".", "\"", "'", "/", "(", "["}},
				HoverProvider:      true, DefinitionProvider: true,
			},
			ServerInfo: serverInfo{"astrolabe", s.opt.Version},
		}, nil
	case "initialized", "$/cancelRequest", "$/setTrace", "workspace/didChangeConfiguration":
		return nil, nil
	case "shutdown":
		s.shutdown = true
		return nil, nil
	case "exit":
		s.leave()
		return nil, nil
	case "textDocument/didOpen":
		return nil, with(params, func(p openParams) error {
			return s.set(ctx, p.TextDocument.URI, p.TextDocument.Text)
		})
	case "textDocument/didChange":
		return nil, with(params, func(p changeParams) error {
			if len(p.ContentChanges) == 0 {
				return nil
			}
			return s.set(ctx, p.TextDocument.URI, p.ContentChanges[len(p.ContentChanges)-1].Text)
		})
	case "textDocument/didSave":
		return nil, s.publishAll(ctx) // others may load it
	case "textDocument/didClose":
		return nil, with(params, func(p documentParams) error {
			delete(s.docs, p.TextDocument.URI)
			if err := s.conn.Notify(ctx, "textDocument/publishDiagnostics",
				diagnosticsParams{p.TextDocument.URI, []diagnostic{}}); err != nil {
				return err
			}
			return s.publishAll(ctx) // what is stored counts again
		})
	case "textDocument/completion":
		return ask(s, params, (*document).complete)
	case "textDocument/hover":
		return ask(s, params, (*document).hover)
	case "textDocument/definition":
		return ask(s, params, (*document).definition)
	}
	return nil, jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "%q is nothing that this server does", method)
}

// with reads the parameters of a message.
func with[P any](params []byte, f func(P) error) error {
	var p P
	if err := json.Unmarshal(params, &p); err != nil {
		return jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%v", err)
	}
	return f(p)
}

// ask answers a question about a place in an open document.
func ask[R any](s *server, params []byte, f func(d *document, at position) R) (any, error) {
	var out R
	err := with(params, func(p positionParams) error {
		d := s.docs[p.TextDocument.URI]
		if d == nil {
			return jsonrpc2.Errorf(jsonrpc2.InvalidParams, "the document %s is not open", p.TextDocument.URI)
		}
		out = f(d, p.Position)
		return nil
	})
	return out, err
}

// unsaved is the text of a file that the client has open.
func (s *server) unsaved(key string) ([]byte, bool) {
	for _, d := range s.docs {
		if d.file.Source.Key == key {
			return []byte(d.text), true
		}
	}
	return nil, false
}

// set gives a document a new text.
func (s *server) set(ctx context.Context, uri, text string) error {
	path, err := pathOf(uri)
	if err != nil {
		return err
	}
	d := newDocument(s, uri, path, text, s.docs[uri])
	s.docs[uri] = d
	return s.publish(ctx, d)
}

func (s *server) publishAll(ctx context.Context) error {
	var uris []string
	for uri := range s.docs {
		uris = append(uris, uri)
	}
	slices.Sort(uris)
	for _, uri := range uris {
		d := newDocument(s, uri, s.docs[uri].path, s.docs[uri].text, s.docs[uri])
		s.docs[uri] = d
		if err := s.publish(ctx, d); err != nil {
			return err
		}
	}
	return nil
}

// errorCodes are the findings for which a script does not run, or stops at that line; the others are warnings.
var errorCodes = []string{"syntax", "undefined", "load", "counter-truth", "unknown-attribute", "arguments",
	"unknown-gpu", "string-iteration"}

// publish tells the client what lint finds in a document.
func (s *server) publish(ctx context.Context, d *document) error {
	out := diagnosticsParams{d.uri, []diagnostic{}}
	for _, f := range lint.File(d.file) {
		severity := 2
		if slices.Contains(errorCodes, f.Code) {
			severity = 1
		}
		out.Diagnostics = append(out.Diagnostics, diagnostic{
			Range:    span{d.position(f.Line, f.Col), d.position(f.EndLine, f.EndCol)},
			Severity: severity, Code: f.Code, Source: "astrolabe", Message: f.Message,
		})
	}
	return s.conn.Notify(ctx, "textDocument/publishDiagnostics", out)
}

// world is a view of the files as they are now.
func (s *server) world() *infer.World { return infer.NewWorld(s.reader) }
