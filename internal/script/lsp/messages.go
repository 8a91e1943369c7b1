package lsp

// The messages of the protocol, version 3.17, as far as they are used; names are those of its specification.

type position struct {
	Line      int `json:"line"`      // from 0
	Character int `json:"character"` // from 0, in the units that were agreed on
}

type span struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

type location struct {
	URI   string `json:"uri"`
	Range span   `json:"range"`
}

type documentID struct {
	URI string `json:"uri"`
}

type positionParams struct {
	TextDocument documentID `json:"textDocument"`
	Position     position   `json:"position"`
}

func (p positionParams) uri() string { return p.TextDocument.URI }

type rangeParams struct {
	TextDocument documentID `json:"textDocument"`
	Range        span       `json:"range"`
}

func (p rangeParams) uri() string { return p.TextDocument.URI }

type actionParams struct {
	rangeParams
	Context struct {
		Only []string `json:"only"`
	} `json:"context"`
}

type referenceParams struct {
	positionParams
	Context struct {
		IncludeDeclaration bool `json:"includeDeclaration"`
	} `json:"context"`
}

type renameParams struct {
	positionParams
	NewName string `json:"newName"`
}

type symbolParams struct {
	Query string `json:"query"`
}

type openParams struct {
	TextDocument struct {
		URI  string `json:"uri"`
		Text string `json:"text"`
	} `json:"textDocument"`
}

type changeParams struct {
	TextDocument   documentID `json:"textDocument"`
	ContentChanges []struct {
		Text string `json:"text"` // the whole document: the server asks for nothing else
	} `json:"contentChanges"`
}

type documentParams struct {
	TextDocument documentID `json:"textDocument"`
}

func (p documentParams) uri() string { return p.TextDocument.URI }

type initializeParams struct {
	RootURI          string `json:"rootUri"`
	WorkspaceFolders []struct {
		URI string `json:"uri"`
	} `json:"workspaceFolders"`
	Capabilities struct {
		General struct {
			PositionEncodings []string `json:"positionEncodings"`
		} `json:"general"`
		TextDocument struct {
			DocumentSymbol struct {
				Hierarchical bool `json:"hierarchicalDocumentSymbolSupport"`
			} `json:"documentSymbol"`
		} `json:"textDocument"`
	} `json:"capabilities"`
}

type initializeResult struct {
	Capabilities capabilities `json:"capabilities"`
	ServerInfo   serverInfo   `json:"serverInfo"`
}

type serverInfo struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

type capabilities struct {
	PositionEncoding           string            `json:"positionEncoding"`
	TextDocumentSync           syncOptions       `json:"textDocumentSync"`
	CompletionProvider         completionOptions `json:"completionProvider"`
	HoverProvider              bool              `json:"hoverProvider"`
	DefinitionProvider         bool              `json:"definitionProvider"`
	ReferencesProvider         bool              `json:"referencesProvider"`
	SignatureHelpProvider      signatureOptions  `json:"signatureHelpProvider"`
	DocumentSymbolProvider     bool              `json:"documentSymbolProvider"`
	WorkspaceSymbolProvider    bool              `json:"workspaceSymbolProvider"`
	DocumentFormattingProvider bool              `json:"documentFormattingProvider"`
	RenameProvider             renameOptions     `json:"renameProvider"`
	CodeActionProvider         actionOptions     `json:"codeActionProvider"`
	SemanticTokensProvider     semanticOptions   `json:"semanticTokensProvider"`
	InlayHintProvider          bool              `json:"inlayHintProvider"`
}

type syncOptions struct {
	OpenClose bool `json:"openClose"`
	Change    int  `json:"change"` // 1: the whole document
	Save      bool `json:"save"`
}

type signatureOptions struct {
	TriggerCharacters   []string `json:"triggerCharacters"`
	RetriggerCharacters []string `json:"retriggerCharacters"`
}

type renameOptions struct {
	PrepareProvider bool `json:"prepareProvider"`
}

type actionOptions struct {
	Kinds []string `json:"codeActionKinds"`
}

type semanticOptions struct {
	Legend semanticLegend `json:"legend"`
	Full   bool           `json:"full"`
	Range  bool           `json:"range"`
}

type semanticLegend struct {
	Types     []string `json:"tokenTypes"`
	Modifiers []string `json:"tokenModifiers"`
}

// workspaceEdit changes files, by their URIs.
type workspaceEdit struct {
	Changes map[string][]textEdit `json:"changes"`
}

type completionOptions struct {
	TriggerCharacters []string `json:"triggerCharacters"`
}

type completionList struct {
	IsIncomplete bool             `json:"isIncomplete"`
	Items        []completionItem `json:"items"`
}

type completionItem struct {
	Label         string   `json:"label"`
	Kind          int      `json:"kind"`
	Detail        string   `json:"detail,omitempty"`
	Documentation string   `json:"documentation,omitempty"`
	FilterText    string   `json:"filterText,omitempty"`
	TextEdit      textEdit `json:"textEdit"`
}

type textEdit struct {
	Range   span   `json:"range"`
	NewText string `json:"newText"`
}

// Kinds of completion items.
const (
	kindMethod   = 2
	kindFunction = 3
	kindField    = 5
	kindVariable = 6
	kindModule   = 9
	kindValue    = 12
	kindKeyword  = 14
	kindFile     = 17
)

type hover struct {
	Contents markup `json:"contents"`
	Range    span   `json:"range"`
}

type markup struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

type diagnosticsParams struct {
	URI         string       `json:"uri"`
	Diagnostics []diagnostic `json:"diagnostics"`
}

type diagnostic struct {
	Range    span   `json:"range"`
	Severity int    `json:"severity"` // 1 error, 2 warning
	Code     string `json:"code"`
	Source   string `json:"source"`
	Message  string `json:"message"`
}
