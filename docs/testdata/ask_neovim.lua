-- Puts every request that editors.md lists about the script that is open, and says what came of it.
assert(vim.wait(240000, function()
  local clients = vim.lsp.get_clients({bufnr = 0})
  return #clients > 0 and clients[1].initialized
end, 20), "no client")
local document = vim.lsp.util.make_text_document_params()
local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
local function at(text, behind)
  for i, line in ipairs(lines) do
    local col = line:find(text, 1, true)
    if col then return {line = i - 1, character = col - 1 + behind} end
  end
  error("no " .. text)
end
local whole = {start = {line = 0, character = 0}, ["end"] = {line = #lines, character = 0}}
local asked, answered = 0, 0
local function ask(method, params)
  if params.textDocument == nil and params.query == nil then params.textDocument = document end
  asked = asked + 1
  local result
  for _, r in pairs(vim.lsp.buf_request_sync(0, method, params, 240000) or {}) do result = r.result end
  if result and result ~= vim.NIL and next(result) then
    answered = answered + 1
  else
    io.stdout:write("NO ANSWER " .. method .. "\n")
  end
  return result or {}
end
ask("textDocument/completion", {position = at("stats.frames(cap", 8)})
ask("textDocument/hover", {position = at("stats.frames(cap", 8)})
local used = at("_measured(cap, leading)", 1)
ask("textDocument/definition", {position = used})
io.stdout:write("references " .. #ask("textDocument/references", {position = used, context = {includeDeclaration = true}}) .. "\n")
ask("textDocument/prepareRename", {position = used})
ask("textDocument/signatureHelp", {position = at("stats.phases(metrics", 13)})
ask("textDocument/documentSymbol", {})
ask("workspace/symbol", {query = "split"})
ask("textDocument/semanticTokens/full", {})
for _, hint in ipairs(ask("textDocument/inlayHint", {range = whole})) do
  io.stdout:write("hint " .. hint.label .. "\n")
end
for _, action in ipairs(ask("textDocument/codeAction", {range = whole, context = {diagnostics = {}}})) do
  io.stdout:write("action " .. action.title .. "\n")
  if action.title == "Change to gpu_active_cycles" then vim.lsp.util.apply_workspace_edit(action.edit, "utf-16") end
end
-- What the editor makes of edits is in its text.
vim.lsp.util.apply_text_edits(ask("textDocument/formatting", {options = {tabSize = 4, insertSpaces = true}}), vim.api.nvim_get_current_buf(), "utf-16")
vim.lsp.util.apply_workspace_edit(ask("textDocument/rename", {position = used, newName = "_held"}), "utf-16")
io.stdout:write(answered .. " of " .. asked .. " requests answered\n")
vim.cmd("write! after.star")
