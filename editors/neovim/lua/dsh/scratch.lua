--- Prompts that are no files.
local M = {}

local pattern = '^untitled://prompt%-%d+%.dsh%.md$'

--- Scheme and number make a URI of the buffer's name, so Neovim hands it to the server as it is.
---@return string
local function free_name()
  local number = 1
  while vim.fn.bufexists(('untitled://prompt-%d.dsh.md'):format(number)) == 1 do
    number = number + 1
  end
  return ('untitled://prompt-%d.dsh.md'):format(number)
end

--- The scratch prompt with text in it that was left last, and that no window shows.
---@return integer? buffer
local function hidden()
  local latest = nil ---@type vim.fn.getbufinfo.ret.item?
  for _, info in ipairs(vim.fn.getbufinfo({ bufloaded = 1 })) do
    local is_ours = vim.bo[info.bufnr].buftype == 'nofile' and info.name:match(pattern)
    local is_empty = info.linecount == 1
      and vim.api.nvim_buf_get_lines(info.bufnr, 0, 1, false)[1] == ''
    if is_ours and info.hidden == 1 and not is_empty then
      if latest == nil or info.lastused > latest.lastused then
        latest = info
      end
    end
  end
  return latest and latest.bufnr
end

--- Go back to the scratch prompt that was left last, or open an empty one.
function M.resume()
  local buffer = hidden()
  if buffer == nil then
    M.open()
    return
  end
  vim.cmd.split()
  vim.api.nvim_win_set_buf(0, buffer)
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
