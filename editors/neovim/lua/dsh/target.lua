--- The session that a prompt goes to.
local M = {}

local server = require('dsh.server')

---@class dsh.Candidate
---@field sessionId string
---@field displayTitle string
---@field cwd string?

---@class dsh.Target
---@field sessionId string?
---@field title string?
---@field new boolean

local new_session = { sessionId = 'new', displayTitle = '+ new session' }

--- Text of logs on one line, without what a terminal would obey.
---@param text string
---@return string
local function plain(text)
  return (text:gsub('%c', ' '))
end

---@param candidate dsh.Candidate
---@return string
local function row(candidate)
  if type(candidate.cwd) ~= 'string' then
    return plain(candidate.displayTitle)
  end
  local folder = vim.fn.fnamemodify(candidate.cwd, ':~')
  return ('%s  (%s)'):format(plain(candidate.displayTitle), plain(folder))
end

--- Where a prompt goes, for people.
---@param target dsh.Target
---@return string
function M.describe(target)
  if target.new then
    return 'sending creates a session'
  end
  if type(target.sessionId) ~= 'string' then
    return 'no target yet: sending asks for one'
  end
  local named = type(target.title) == 'string' and target.title or target.sessionId
  return 'sending goes to ' .. plain(named)
end

--- Tell what the server made of a choice.
---@param answer { target: dsh.Target, problems: dsh.Problem[] }
---@return boolean agreed
local function tell(answer)
  if #answer.problems > 0 then
    server.notify(answer.problems[1].message, vim.log.levels.ERROR)
    return false
  end
  server.notify(M.describe(answer.target))
  return true
end

---@param buffer integer
---@param session string a session id, its URI, or `new`
---@param on_set fun() called once the server has agreed
local function set(buffer, session, on_set)
  server.execute('dsh.selectTarget', buffer, { target = session }, function(answer)
    if tell(answer) then
      on_set()
    end
  end)
end

--- Set the target, or let the user choose among the sessions of the server.
---@param buffer integer
---@param session string? a session id, its URI, or `new`
---@param on_set? fun() called once the server has agreed
function M.choose(buffer, session, on_set)
  on_set = on_set or function() end
  if session then
    set(buffer, session, on_set)
    return
  end
  server.execute('dsh.sessions', buffer, {}, function(result)
    local rows = vim.list_extend({ new_session }, result.items) ---@type dsh.Candidate[]
    vim.ui.select(rows, { prompt = 'Send to', format_item = row }, function(chosen)
      if chosen then
        set(buffer, chosen.sessionId, on_set)
      end
    end)
  end)
end

--- Create a session now, and make it the target.
---@param buffer integer
function M.create(buffer)
  server.execute('dsh.newSession', buffer, {}, tell)
end

return M
