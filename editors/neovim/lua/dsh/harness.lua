--- Entering and starting a harness.
local M = {}

local server = require('dsh.server')

---@param answer { harness: { name: string, version: string }?, harnessProblem: string? }
local function tell(answer)
  if type(answer.harness) == 'table' then
    local harness = answer.harness
    server.notify(('harness: %s %s'):format(harness.name, harness.version))
  else
    server.notify('no harness: ' .. answer.harnessProblem, vim.log.levels.ERROR)
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
  server.execute_anywhere('dsh.login', { link = link }, tell)
end

--- Start a harness and enter it.
function M.start()
  server.notify('starting a harness ...')
  server.execute_anywhere('dsh.startHarness', {}, tell)
end

return M
