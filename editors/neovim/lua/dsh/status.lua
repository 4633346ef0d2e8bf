--- What the server says of itself, for people.
local M = {}

---@class dsh.Status
---@field version string
---@field stores { place: string, sessions: integer }[]
---@field faults { place: string, message: string }[]
---@field settingFaults { path: string, message: string }[]
---@field mode string
---@field harness { name: string, version: string }?
---@field harnessProblem string?
---@field pendingSends integer everything in the outbox
---@field keptPrompts integer what of it is only kept
---@field target dsh.Target? only for a document
---@field budget { bytes: integer, rule: string }? only for a document

--- What works, and what does not, one line each.
---@param status dsh.Status a `dsh.status` result
---@return string[] facts
---@return string[] faults
function M.describe(status)
  local facts = { 'dsh-lsp ' .. status.version }
  local faults = {} ---@type string[]
  for _, store in ipairs(status.stores) do
    table.insert(facts, ('store: %s (%d sessions)'):format(store.place, store.sessions))
  end
  if type(status.harness) == 'table' then
    local harness = status.harness
    table.insert(
      facts,
      ('harness: %s %s (mode %s)'):format(harness.name, harness.version, status.mode)
    )
  else
    table.insert(faults, ('harness: none (mode %s): %s'):format(status.mode, status.harnessProblem))
  end
  if status.target then
    table.insert(facts, require('dsh.target').describe(status.target))
  end
  if status.budget then
    local budget = status.budget
    table.insert(facts, ('budget of a mention: %d bytes, %s'):format(budget.bytes, budget.rule))
  end
  local on_their_way = status.pendingSends - status.keptPrompts
  if on_their_way > 0 then
    table.insert(facts, ('prompts on their way: %d'):format(on_their_way))
  end
  if status.keptPrompts > 0 then
    table.insert(facts, ('prompts kept: %d, :Dsh outbox sends them'):format(status.keptPrompts))
  end
  for _, fault in ipairs(status.settingFaults) do
    table.insert(faults, ('setting %s: %s'):format(fault.path, fault.message))
  end
  for _, fault in ipairs(status.faults) do
    table.insert(faults, ('%s: %s'):format(fault.place, fault.message))
  end
  return facts, faults
end

---@param buffer integer
function M.show(buffer)
  local server = require('dsh.server')
  server.execute('dsh.status', buffer, {}, function(status)
    local facts, faults = M.describe(status)
    server.notify(table.concat(vim.list_extend(facts, faults), '\n'))
  end)
end

return M
