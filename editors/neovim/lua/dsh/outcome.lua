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
---@field status 'accepted'|'kept'|'refused'|'unknown'|'pending'
---@field sessionId string?
---@field references table[] the sources whose snapshots go along
---@field problems dsh.Problem[]
---@field receipt dsh.Receipt?

local levels = {
  accepted = vim.log.levels.INFO,
  kept = vim.log.levels.INFO,
  pending = vim.log.levels.WARN,
  unknown = vim.log.levels.WARN,
  refused = vim.log.levels.ERROR,
}

--- What to do about a problem here, by its code. The server knows no command of an editor.
local ways = {
  ['no-target'] = ':Dsh target chooses a session, :Dsh new makes one',
  ['unknown-target'] = ':Dsh target shows the sessions that can be chosen',
  ['no-harness'] = ':Dsh start a harness, or :Dsh login to one',
  ['needs-login'] = ':Dsh login takes that link',
  ['needs-session'] = ':Dsh target chooses a session, or :Dsh copy the message for another chat',
  ['cannot-resolve'] = 'set send.expand in vim.g.dsh.settings, or :Dsh copy the message',
  ['already-kept'] = ':Dsh outbox shows that prompt, and sends it',
  ['already-sent'] = ':Dsh outbox shows that prompt',
  ['outcome-unknown'] = ':Dsh outbox shows what is known of it',
}

--- What can be done with a prompt that only wants a harness.
local instead = '\n  -> or :Dsh keep it in the outbox, or :Dsh copy the message for another chat'

--- What is worth telling although the prompt was sent.
local remarkable = {
  ['earlier-prompts'] = true,
  ['expanded-here'] = true,
  ['snapshot-differs'] = true,
}

---@param count integer of snapshots
---@return string
local function beside(count)
  if count == 0 then
    return ''
  end
  return (' with %d snapshot%s'):format(count, count == 1 and '' or 's')
end

--- What is known of a prompt that was taken, as the end of a sentence.
---@param receipt dsh.Receipt?
---@param snapshots integer that go along
---@return string
function M.fate(receipt, snapshots)
  if receipt == nil then
    return ''
  elseif receipt.state == 'captured' then
    return ', recorded' .. beside(snapshots)
  elseif receipt.state == 'queued' then
    return (', waiting at place %s'):format(receipt.place or '?')
  elseif receipt.state == 'ended' then
    return (', but its turn ended: %s'):format(receipt.reason or 'no reason was given')
  end
  return ''
end

---@param problem dsh.Problem
---@return boolean
local function forbids(problem)
  return problem.severity == 'error'
end

--- A problem with what to do about it.
---@param problem dsh.Problem
---@return string
function M.explain(problem)
  local way = ways[problem.code]
  return problem.message .. (way and ('\n  -> ' .. way) or '')
end

--- What forbids something or is remarkable, one line each.
---@param result { problems: dsh.Problem[] }
---@return string
function M.reasons(result)
  local lines = {} ---@type string[]
  for _, problem in ipairs(result.problems) do
    if forbids(problem) or remarkable[problem.code] then
      table.insert(lines, '\n  ' .. M.explain(problem))
    end
  end
  return table.concat(lines)
end

--- Whether nothing else is in the way than one kind of problem.
---@param code string of the problem
---@param result dsh.Sent a `dsh.send` result
---@return boolean
function M.lacks_only(code, result)
  local found = vim.tbl_filter(forbids, result.problems)
  return #found > 0 and vim.iter(found):all(function(problem)
    return problem.code == code
  end)
end

---@param result dsh.Sent what `dsh.send` answered
---@return string message
---@return vim.log.levels level
function M.of_sending(result)
  local words = {
    accepted = ('sent to %s%s'):format(
      result.sessionId,
      M.fate(result.receipt, #result.references)
    ),
    pending = 'not sent:',
    unknown = 'perhaps sent:',
    refused = 'not sent:',
  }
  local lacks_entrance = M.lacks_only('no-harness', result) or M.lacks_only('needs-login', result)
  local way = lacks_entrance and instead or ''
  return words[result.status] .. M.reasons(result) .. way, levels[result.status]
end

---@param result dsh.Sent what `dsh.send` answered when it was asked to keep the prompt
---@return string message
---@return vim.log.levels level
function M.of_keeping(result)
  local words = {
    kept = ('kept for %s, not sent yet: :Dsh outbox sends it'):format(result.sessionId),
    pending = 'not kept:',
    refused = 'not kept:',
  }
  return words[result.status] .. M.reasons(result), levels[result.status]
end

return M
