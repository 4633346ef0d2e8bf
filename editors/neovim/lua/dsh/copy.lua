--- The prepared message for any other chat.
local M = {}

local server = require('dsh.server')

--- Put the message into the unnamed register, and on the clipboard where there is one.
---@param buffer integer
---@param lines [integer, integer]? only these lines, from 1
function M.copy(buffer, lines)
  local arguments = { range = require('dsh.range').of_lines(buffer, lines) }
  server.execute('dsh.copyPrepared', buffer, arguments, function(result)
    if type(result.text) ~= 'string' then
      local reasons = require('dsh.outcome').reasons(result)
      server.notify('not copied:' .. reasons, vim.log.levels.ERROR)
      return
    end
    vim.fn.setreg('"', result.text)
    if vim.fn.has('clipboard') == 1 then
      vim.fn.setreg('+', result.text)
    end
    server.notify('copied the prompt and what it mentions')
  end)
end

return M
