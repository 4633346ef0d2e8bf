--- Sending a prompt, or keeping it for later. Without a target the user is asked for one.
local M = {}

local server = require('dsh.server')

---@param buffer integer
---@param lines [integer, integer]? only these lines, from 1
---@param wish { mode: string?, keep: boolean? } what is asked of `dsh.send`
---@param describe fun(result: dsh.Sent): string, vim.log.levels
local function run(buffer, lines, wish, describe)
  local range = require('dsh.range').of_lines(buffer, lines)
  local arguments = vim.tbl_extend('error', { range = range }, wish)
  server.execute('dsh.send', buffer, arguments, function(result)
    if require('dsh.outcome').lacks_only('no-target', result) then
      require('dsh.target').choose(buffer, nil, function()
        run(buffer, lines, wish, describe)
      end)
      return
    end
    server.notify(describe(result))
  end)
end

---@param buffer integer
---@param mode string? `queue` or `steer`; otherwise what front matter or the settings say
---@param lines [integer, integer]? only these lines, from 1
function M.send(buffer, mode, lines)
  run(buffer, lines, { mode = mode }, require('dsh.outcome').of_sending)
end

--- Put it into the outbox, which sends it when the user says so.
---@param buffer integer
---@param mode string? as for `send`
---@param lines [integer, integer]? as for `send`
function M.keep(buffer, mode, lines)
  run(buffer, lines, { mode = mode, keep = true }, require('dsh.outcome').of_keeping)
end

return M
