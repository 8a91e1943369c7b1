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

	"astrolabe/capture/formats"
	"astrolabe/internal/script"
	"astrolabe/internal/script/infer"
	"astrolabe/internal/script/lint"
)

// Options is what a server needs.
type Options struct {
	Library fs.FS             // the built-in scripts
	Version string            // of astrolabe
	Cache   string            // folder where files of the library are put for editors to show; "" shows none
	Talk    io.Writer         // what went wrong, for people
	Formats *formats.Registry // by which captures beside scripts say what they are of; nil asks none
}

// errExit says that the client ended the server without asking it to shut down first.
var errExit = errors.New("the client ended the session without shutting it down")

// server answers one client. Its handler runs on one goroutine, so what is here is not locked.
type server struct {
	opt     Options
	reader  *script.Reader
	docs    map[string]*document // those that are open, by URI
	folders *folders
	client  initializeParams
	units   func(r rune, size int) int // how long a character of so many bytes is for the client
	conn    jsonrpc2.Conn
	in      *inbox // nil where nothing is taken back

	shutdown bool
	exit     chan struct{}
	leave    func() // closes exit
}

// Serve answers the client at the other end of rw until it says goodbye or goes away, or ctx is done. What the client
// sends is never trusted to make sense: it is answered with an error, and the session goes on where the framing lets
// it.
func Serve(ctx context.Context, rw io.ReadWriteCloser, opt Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // what is still looked for
	s := newServer(ctx, opt)
	s.in = newInbox(newStream(rw))
	s.conn = jsonrpc2.NewConn(s.in)
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

func newServer(ctx context.Context, opt Options) *server {
	s := &server{opt: opt, reader: script.NewReader(opt.Library), docs: map[string]*document{}, units: units16,
		folders: newFolders(ctx, opt.Formats), exit: make(chan struct{})}
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
	if req.IsCall() && s.in != nil {
		var end func()
		var taken bool
		if ctx, end, taken = s.in.begin(ctx, req.ID()); taken {
			end()
			return nil, errCancelled
		}
		defer end()
	}
	result, err = s.answer(ctx, req.Method(), req.Params())
	if err != nil && ctx.Err() != nil && req.IsCall() {
		return nil, errCancelled
	}
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
		return s.initialize(params)
	case "initialized", "$/cancelRequest", "$/setTrace", "workspace/didChangeConfiguration",
		"workspace/didChangeWatchedFiles":
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
		for _, d := range s.docs {
			s.folders.look(d.path)
		}
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
	case "textDocument/signatureHelp":
		return ask(s, params, (*document).signatureHelp)
	case "textDocument/prepareRename":
		return ask(s, params, (*document).prepareRename)
	case "textDocument/documentSymbol":
		return about(s, params, func(d *document, _ documentParams) (any, error) { return d.symbols(), nil })
	case "textDocument/formatting":
		return about(s, params, func(d *document, _ documentParams) ([]textEdit, error) { return d.formatted() })
	case "textDocument/semanticTokens/full":
		return about(s, params, func(d *document, _ documentParams) (semanticTokens, error) {
			return d.semanticTokens(nil), nil
		})
	case "textDocument/semanticTokens/range":
		return about(s, params, func(d *document, p rangeParams) (semanticTokens, error) {
			return d.semanticTokens(&p.Range), nil
		})
	case "textDocument/inlayHint":
		return about(s, params, func(d *document, p rangeParams) ([]inlayHint, error) { return d.hints(p.Range), nil })
	case "textDocument/codeAction":
		return about(s, params, func(d *document, p actionParams) ([]codeAction, error) { return d.actions(ctx, p) })
	case "textDocument/references":
		return about(s, params, func(d *document, p referenceParams) ([]location, error) {
			return d.references(ctx, p.Position, p.Context.IncludeDeclaration)
		})
	case "textDocument/rename":
		return about(s, params, func(d *document, p renameParams) (*workspaceEdit, error) {
			return d.rename(ctx, p.Position, p.NewName)
		})
	case "workspace/symbol":
		var out []symbolInformation
		err := with(params, func(p symbolParams) (err error) {
			out, err = s.symbols(ctx, p.Query)
			return err
		})
		return out, err
	}
	return nil, jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "%q is nothing that this server does", method)
}

// initialize agrees with the client on what both can do.
func (s *server) initialize(params []byte) (*initializeResult, error) {
	var p initializeParams
	if len(params) > 0 {
		if err := json.Unmarshal(params, &p); err != nil {
			return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%v", err)
		}
	}
	s.client = p
	encoding := "utf-16" // what clients count in that say nothing
	for _, wanted := range p.Capabilities.General.PositionEncodings {
		if u := encodings[wanted]; u != nil {
			encoding, s.units = wanted, u
			break
		}
	}
	return &initializeResult{
		Capabilities: capabilities{
			PositionEncoding:   encoding,
			TextDocumentSync:   syncOptions{OpenClose: true, Change: 1, Save: true},
			CompletionProvider: completionOptions{TriggerCharacters: []string{".", "\"", "'", "/", "(", "["}},
			HoverProvider:      true, DefinitionProvider: true, ReferencesProvider: true,
			SignatureHelpProvider: signatureOptions{TriggerCharacters: []string{"(", ","},
				RetriggerCharacters: []string{")", "="}},
			DocumentSymbolProvider: true, WorkspaceSymbolProvider: true, DocumentFormattingProvider: true,
			RenameProvider:     renameOptions{PrepareProvider: true},
			CodeActionProvider: actionOptions{Kinds: []string{actionFix, actionSource}},
			SemanticTokensProvider: semanticOptions{Legend: semanticLegend{tokenTypes, tokenModifiers}, Full: true,
				Range: true},
			InlayHintProvider: true,
		},
		ServerInfo: serverInfo{"astrolabe", s.opt.Version},
	}, nil
}

// with reads the parameters of a message.
func with[P any](params []byte, f func(P) error) error {
	var p P
	if err := json.Unmarshal(params, &p); err != nil {
		return jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%v", err)
	}
	return f(p)
}

// inDocument is what the parameters of questions about an open document have.
type inDocument interface{ uri() string }

// about answers a question about an open document.
func about[P inDocument, R any](s *server, params []byte, f func(d *document, p P) (R, error)) (any, error) {
	var out R
	err := with(params, func(p P) (err error) {
		d := s.docs[p.uri()]
		if d == nil {
			return jsonrpc2.Errorf(jsonrpc2.InvalidParams, "the document %s is not open", p.uri())
		}
		out, err = f(d, p)
		return err
	})
	return out, err
}

// ask answers a question about a place in an open document.
func ask[R any](s *server, params []byte, f func(d *document, at position) R) (any, error) {
	return about(s, params, func(d *document, p positionParams) (R, error) { return f(d, p.Position), nil })
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
	if s.docs[uri] == nil {
		s.folders.look(path)
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
	for _, f := range d.findings() {
		out.Diagnostics = append(out.Diagnostics, d.diagnostic(f))
	}
	return s.conn.Notify(ctx, "textDocument/publishDiagnostics", out)
}

// findings are what lint says of the document.
func (d *document) findings() []lint.Finding {
	if !d.linted {
		d.found, d.linted = lint.File(d.file), true
	}
	return d.found
}

func (d *document) diagnostic(f lint.Finding) diagnostic {
	severity := 2
	if slices.Contains(errorCodes, f.Code) {
		severity = 1
	}
	return diagnostic{Range: span{d.position(f.Line, f.Col), d.position(f.EndLine, f.EndCol)}, Severity: severity,
		Code: f.Code, Source: "astrolabe", Message: f.Message}
}

// world is a view of the files as they are now.
func (s *server) world() *infer.World { return infer.NewWorld(s.reader) }
