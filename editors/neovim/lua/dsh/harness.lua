--- Entering and starting a harness.
local M = {}

local server = require('dsh.server')

---@class dsh.Entered
---@field harness { name: string, version: string }?
---@field harnessProblem string?
---@field keptPrompts integer prompts that wait in the outbox

---@param count integer
---@return string
local function waiting(count)
  if count == 0 then
    return ''
  end
  return ('\n  %d kept prompt%s can be sent now: :Dsh outbox'):format(
    count,
    count == 1 and '' or 's'
  )
end

---@param answer dsh.Entered
---@param failed string how it is told that nothing came of it
local function tell(answer, failed)
  if type(answer.harness) == 'table' then
    local harness = answer.harness
    local name = ('harness: %s %s'):format(harness.name, harness.version)
    server.notify(name .. waiting(answer.keptPrompts))
  else
    server.notify(('%s: %s'):format(failed, answer.harnessProblem), vim.log.levels.ERROR)
  end
end

--- A link lets its reader in, so it shall not stay in a history that Neovim keeps on disk.
---@param link string
local function forget(link)
  vim.fn.histdel('cmd', [[\V]] .. vim.fn.escape(link, [[\]]))
end

--- Enter a harness with the link that it has printed.
---@param link string? asked for, unseen, when it is not given
function M.login(link)
  if link then
    forget(link)
  else
    link = vim.trim(vim.fn.inputsecret('Link that `dsh web` printed: '))
    if link == '' then
      return
    end
  end
  server.execute_anywhere('dsh.login', { link = link }, function(answer)
    tell(answer, 'no harness')
  end)
end

--- Start a harness and enter it.
function M.start()
  server.notify('starting a harness ...')
  server.execute_anywhere('dsh.startHarness', {}, function(answer)
    tell(answer, 'none was started')
  end)
end

return M
