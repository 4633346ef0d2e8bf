--- What the model will see, in a window of its own.
local M = {}

local server = require('dsh.server')

---@param uri string of the prompt
---@return integer buffer
local function buffer_for(uri)
  local name = 'dsh-preview://' .. uri
  local known = vim.iter(vim.api.nvim_list_bufs()):find(function(buffer)
    return vim.api.nvim_buf_get_name(buffer) == name
  end)
  if known then
    return known
  end
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(buffer, name)
  vim.bo[buffer].bufhidden = 'wipe'
  vim.bo[buffer].filetype = 'markdown'
  return buffer
end

---@param buffer integer
---@param lines [integer, integer]? only these lines, from 1
function M.open(buffer, lines)
  local arguments = { range = require('dsh.range').of_lines(buffer, lines) }
  server.execute('dsh.preview', buffer, arguments, function(result)
    local preview = buffer_for(vim.uri_from_bufnr(buffer))
    vim.bo[preview].modifiable = true
    vim.api.nvim_buf_set_lines(preview, 0, -1, false, vim.split(result.document, '\r?\n'))
    vim.bo[preview].modifiable = false
    if vim.fn.bufwinid(preview) == -1 then
      vim.cmd.split({ mods = { vertical = true, split = 'botright' } })
      vim.api.nvim_win_set_buf(0, preview)
      vim.wo.linebreak = true
    end
  end)
end

return M
