--- Ranges of lines as the server counts them.
local M = {}

--- The LSP range of whole lines, without the end of the last one.
---@param buffer integer
---@param lines [integer, integer]? first and last line, from 1; the whole document without
---@return lsp.Range?
function M.of_lines(buffer, lines)
  local client = lines and require('dsh.server').client(buffer)
  if not lines or not client then
    return nil
  end
  local last = vim.api.nvim_buf_get_lines(buffer, lines[2] - 1, lines[2], false)[1] or ''
  return {
    start = { line = lines[1] - 1, character = 0 },
    ['end'] = {
      line = lines[2] - 1,
      character = vim.str_utfindex(last, client.offset_encoding),
    },
  }
end

return M
