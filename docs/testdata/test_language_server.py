"""The language server as pytest-lsp's clients see it: with the capabilities of editors, each answer is checked against what the client said it knows.

ASTROLABE is the program, SCRIPT a script of the repository; .ci/extra editors and the tests of docs run this.
"""

import os
import pathlib

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

FOLDER = pathlib.Path(os.environ["FOLDER"])
TEXT = (
    pathlib.Path(os.environ["SCRIPT"]).read_text()
    + '\ndemo=capture.open("x.csv", gpu = "mali-g720")\nprint("é𝄞", demo["gpu_active_cycle"], demo["gpu_active_cycles"])\n'
)
FILE = FOLDER / "phases.star"
URI = FILE.as_uri()
LINES = TEXT.split("\n")


@pytest_lsp.fixture(
    params=["neovim", "visual_studio_code", "emacs"],
    config=ClientServerConfig(server_command=[os.environ["ASTROLABE"], "lsp"]),
)
async def client(request, lsp_client: LanguageClient):
    FILE.write_text(TEXT)
    (FOLDER / "astrolabe.toml").write_text("")
    answer = await lsp_client.initialize_session(
        types.InitializeParams(
            capabilities=client_capabilities(request.param),
            root_uri=FOLDER.as_uri(),
            workspace_folders=[types.WorkspaceFolder(uri=FOLDER.as_uri(), name="f")],
        )
    )
    lsp_client.offers = answer.capabilities
    lsp_client.text_document_did_open(
        types.DidOpenTextDocumentParams(text_document=types.TextDocumentItem(uri=URI, language_id="astrolabe", version=1, text=TEXT))
    )
    await lsp_client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    yield
    await lsp_client.shutdown_session()


DOCUMENT = types.TextDocumentIdentifier(uri=URI)
WHOLE = types.Range(start=types.Position(line=0, character=0), end=types.Position(line=len(LINES), character=0))


def place(text, behind=0):
    for i, line in enumerate(LINES):
        if text in line:
            return types.Position(line=i, character=line.index(text) + behind)
    raise LookupError(text)


def at(text, behind=0):
    return {"text_document": DOCUMENT, "position": place(text, behind)}


@pytest.mark.asyncio
async def test_every_request_is_offered_and_answered(client: LanguageClient):
    offers = client.offers
    for name in (
        "completion hover definition references signature_help document_symbol workspace_symbol document_formatting "
        "rename code_action semantic_tokens inlay_hint"
    ).split():
        assert getattr(offers, name + "_provider"), name
    done = {
        "completion": await client.text_document_completion_async(types.CompletionParams(**at("stats.frames(cap", 8))),
        "hover": await client.text_document_hover_async(types.HoverParams(**at("stats.frames(cap", 8))),
        "definition": await client.text_document_definition_async(types.DefinitionParams(**at("_measured(cap, leading)", 1))),
        "references": await client.text_document_references_async(
            types.ReferenceParams(context=types.ReferenceContext(include_declaration=True), **at("_measured(cap, leading)", 1))
        ),
        "prepare": await client.text_document_prepare_rename_async(types.PrepareRenameParams(**at("_measured(cap, leading)", 1))),
        "rename": await client.text_document_rename_async(types.RenameParams(new_name="_held", **at("_measured(cap, leading)", 1))),
        "signature": await client.text_document_signature_help_async(types.SignatureHelpParams(**at("stats.phases(metrics", 13))),
        "symbols": await client.text_document_document_symbol_async(types.DocumentSymbolParams(text_document=DOCUMENT)),
        "workspace": await client.workspace_symbol_async(types.WorkspaceSymbolParams(query="split")),
        "formatting": await client.text_document_formatting_async(
            types.DocumentFormattingParams(text_document=DOCUMENT, options=types.FormattingOptions(tab_size=4, insert_spaces=True))
        ),
        "actions": await client.text_document_code_action_async(
            types.CodeActionParams(text_document=DOCUMENT, range=WHOLE, context=types.CodeActionContext(diagnostics=client.diagnostics[URI]))
        ),
        "tokens": await client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(text_document=DOCUMENT)),
        "hints": await client.text_document_inlay_hint_async(types.InlayHintParams(text_document=DOCUMENT, range=WHOLE)),
    }
    missing = [name for name, answer in done.items() if not answer]
    print(f"PYTEST-LSP | {len(done) - len(missing)} of {len(done)} answered")
    assert not missing
    assert len(done["references"]) == TEXT.count("_measured(")
    assert sum(len(edits) for edits in done["rename"].changes.values()) == TEXT.count("_measured(")
    assert any(hint.label == "cycles" for hint in done["hints"])
    assert any(action.title == "Change to gpu_active_cycles" for action in done["actions"])
    assert len(done["tokens"].data) % 5 == 0


@pytest.mark.asyncio
async def test_diagnostics_are_where_the_mistake_is(client: LanguageClient):
    codes = {d.code: d for d in client.diagnostics[URI]}
    assert set(codes) == {"unknown-counter"}
    line = LINES[codes["unknown-counter"].range.start.line]
    before = line[: line.index('"gpu_active_cycle"')]
    width = {"utf-8": len(before.encode()), "utf-16": len(before.encode("utf-16-le")) // 2, "utf-32": len(before)}
    encoding = client.offers.position_encoding
    assert codes["unknown-counter"].range.start.character == width[getattr(encoding, "value", encoding)]
