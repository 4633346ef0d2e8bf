--- Rows behind `@`: Neovim's own completion, with what it lacks for them.
local M = {}

--- What an open token may look like before the cursor. The server decides; this only saves asking.
local openings = { '@%S*$', '@%[[^%]]*$', '@"[^"]*$' }

---@param item lsp.CompletionItem
---@return table
local function convert(item)
  if item.textEdit == nil or item.insertTextFormat == vim.lsp.protocol.InsertTextFormat.Snippet then
    return {} -- another server's
  end
  return {
    -- By itself Neovim 0.11 inserts a text edit only up to its first space.
    word = item.textEdit.newText,
    menu = vim.tbl_get(item, 'labelDetails', 'description') or item.detail or '',
  }
end

--- Ask again where Neovim does not: after a deletion, and when typing has outrun the rows.
local function ask_again()
  if vim.fn.pumvisible() == 1 then
    return
  end
  local column = vim.api.nvim_win_get_cursor(0)[2]
  local before = vim.api.nvim_get_current_line():sub(1, column)
  for _, opening in ipairs(openings) do
    if before:find(opening) then
      vim.lsp.completion.get()
      return
    end
  end
end

--- Remove the rest of the token, behind the cursor, which Neovim leaves when a row is accepted.
---@param client vim.lsp.Client
local function remove_rest(client)
  local item = vim.tbl_get(vim.v.completed_item, 'user_data', 'nvim', 'lsp')
  if vim.v.event.reason ~= 'accept' or item == nil or item.client_id ~= client.id then
    return
  end
  local range = item.completion_item.textEdit.range ---@type lsp.Range
  local typed = vim.str_utfindex(item.completion_item.filterText, client.offset_encoding)
  local rest = range['end'].character - range.start.character - typed
  local row, column = unpack(vim.api.nvim_win_get_cursor(0)) ---@type integer, integer
  local behind = vim.api.nvim_get_current_line():sub(column + 1)
  local size = vim.str_byteindex(behind, client.offset_encoding, math.max(rest, 0), false)
  vim.api.nvim_buf_set_text(0, row - 1, column, row - 1, column + size, {})
end

--- Let Enter stay a line break: a row is taken only when it has been chosen.
---@param buffer integer
---@param group integer of autocommands
local function choose_first(buffer, group)
  if vim.api.nvim_get_option_value('completeopt', { buf = buffer, scope = 'local' }) ~= '' then
    return -- the user's own
  end
  vim.bo[buffer].completeopt = 'menuone,noselect,popup'
  vim.api.nvim_create_autocmd('LspDetach', {
    group = group,
    buffer = buffer,
    callback = function()
      vim.bo[buffer].completeopt = nil
    end,
  })
end

--- Offer rows for a buffer: by CTRL-X CTRL-O always, and by themselves on request.
---@param client vim.lsp.Client
---@param buffer integer
---@param by_itself boolean
function M.enable(client, buffer, by_itself)
  vim.lsp.completion.enable(true, client.id, buffer, {
    autotrigger = by_itself,
    convert = convert,
  })
  local group = vim.api.nvim_create_augroup('dsh.completion.' .. buffer, {})
  vim.api.nvim_create_autocmd('CompleteDone', {
    group = group,
    buffer = buffer,
    callback = function()
      remove_rest(client)
    end,
  })
  if not by_itself then
    return
  end
  choose_first(buffer, group)
  vim.api.nvim_create_autocmd('TextChangedI', {
    group = group,
    buffer = buffer,
    callback = ask_again,
  })
end

return M
