--- Sending a prompt. Without a target the user is asked for one.
local M = {}

local server = require('dsh.server')

---@param buffer integer
---@param mode string? `queue` or `steer`; otherwise what front matter or the settings say
---@param lines [integer, integer]? only these lines, from 1
function M.send(buffer, mode, lines)
  local arguments = { mode = mode, range = require('dsh.range').of_lines(buffer, lines) }
  server.execute('dsh.send', buffer, arguments, function(result)
    local outcome = require('dsh.outcome')
    if outcome.wants_target(result) then
      require('dsh.target').choose(buffer, nil, function()
        M.send(buffer, mode, lines)
      end)
      return
    end
    local message, level = outcome.describe(result)
    server.notify(message, level)
  end)
end

return M
