--- A prompt that is no file.
local M = {}

--- Scheme and number make a URI of the buffer's name, so Neovim hands it to the server as it is.
---@return string
local function free_name()
  local number = 1
  while vim.fn.bufexists(('untitled://prompt-%d.dsh.md'):format(number)) == 1 do
    number = number + 1
  end
  return ('untitled://prompt-%d.dsh.md'):format(number)
end

--- Open an empty prompt beside the current window. It stays until it is wiped, and asks no saving.
function M.open()
  vim.cmd.new()
  local buffer = vim.api.nvim_get_current_buf()
  vim.bo[buffer].buftype = 'nofile'
  vim.bo[buffer].bufhidden = 'hide'
  vim.bo[buffer].swapfile = false
  vim.api.nvim_buf_set_name(buffer, free_name())
  vim.bo[buffer].filetype = 'dsh-prompt'
  require('dsh.server').attach(buffer)
end

return M
