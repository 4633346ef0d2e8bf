--- What the server says of itself, for people.
local M = {}

---@class dsh.Status
---@field version string
---@field store string
---@field sessions integer
---@field faults { place: string, message: string }[]
---@field mode string
---@field harness { name: string, version: string }?
---@field harnessProblem string?
---@field pendingSends integer
---@field target dsh.Target? only for a document
---@field budget { bytes: integer, rule: string }? only for a document

---@param status dsh.Status
---@return string
local function harness(status)
  if type(status.harness) == 'table' then
    local described = status.harness
    return ('%s %s (mode %s)'):format(described.name, described.version, status.mode)
  end
  return ('none (mode %s): %s'):format(status.mode, status.harnessProblem)
end

--- What works, and what does not, one line each.
---@param status dsh.Status a `dsh.status` result
---@return string[] facts
---@return string[] faults
function M.describe(status)
  local facts = {
    'dsh-lsp ' .. status.version,
    ('store: %s (%d sessions)'):format(status.store, status.sessions),
    'harness: ' .. harness(status),
  }
  if status.target then
    table.insert(facts, require('dsh.target').describe(status.target))
  end
  if status.budget then
    local budget = status.budget
    table.insert(facts, ('budget of a mention: %d bytes, %s'):format(budget.bytes, budget.rule))
  end
  if status.pendingSends > 0 then
    table.insert(facts, ('prompts on their way: %d'):format(status.pendingSends))
  end
  local faults = vim.tbl_map(function(fault)
    return ('%s: %s'):format(fault.place, fault.message)
  end, status.faults)
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
