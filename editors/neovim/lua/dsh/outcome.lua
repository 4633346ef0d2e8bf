--- What became of a prompt, for people.
local M = {}

---@class dsh.Receipt
---@field state 'captured'|'queued'|'ended'|'waiting'
---@field place integer?
---@field reason string?

---@class dsh.Problem
---@field code string
---@field severity string
---@field message string

---@class dsh.Sent
---@field status 'accepted'|'refused'|'unknown'|'pending'
---@field sessionId string?
---@field problems dsh.Problem[]
---@field receipt dsh.Receipt?

local levels = {
  accepted = vim.log.levels.INFO,
  pending = vim.log.levels.INFO,
  unknown = vim.log.levels.WARN,
  refused = vim.log.levels.ERROR,
}

---@param receipt dsh.Receipt?
---@return string
local function fate(receipt)
  if receipt == nil then
    return ''
  elseif receipt.state == 'captured' then
    return ', recorded with its references'
  elseif receipt.state == 'queued' then
    return (', waiting at place %s'):format(receipt.place or '?')
  elseif receipt.state == 'ended' then
    return (', but its turn ended: %s'):format(receipt.reason or 'no reason was given')
  end
  return ''
end

---@param result { problems: dsh.Problem[] }
---@return dsh.Problem[]
local function errors(result)
  return vim.tbl_filter(function(problem)
    return problem.severity == 'error'
  end, result.problems)
end

--- What forbids something, one line each.
---@param result { problems: dsh.Problem[] }
---@return string
function M.reasons(result)
  local lines = vim.tbl_map(function(problem)
    return '\n  ' .. problem.message
  end, errors(result))
  return table.concat(lines)
end

--- Whether nothing but the choice of a target is missing.
---@param result dsh.Sent a `dsh.send` result
---@return boolean
function M.wants_target(result)
  local found = errors(result)
  return #found == 1 and found[1].code == 'no-target'
end

---@param result dsh.Sent a `dsh.send` result
---@return string message
---@return vim.log.levels level
function M.describe(result)
  local words = {
    accepted = ('sent to %s%s'):format(result.sessionId, fate(result.receipt)),
    pending = 'kept in the outbox, not sent yet',
    unknown = 'sent, but no answer came: look before you send it again',
    refused = 'not sent:',
  }
  return words[result.status] .. M.reasons(result), levels[result.status]
end

return M
