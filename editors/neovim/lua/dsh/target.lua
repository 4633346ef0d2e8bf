--- The session that a prompt goes to.
local M = {}

local server = require('dsh.server')

---@class dsh.Candidate
---@field sessionId string
---@field displayTitle string
---@field cwd string?
---@field age string for people

---@class dsh.Target
---@field sessionId string?
---@field title string?
---@field new boolean
---@field created boolean whether the session came from a wish for a new one
---@field source string? who named it

---@class dsh.Row
---@field session string a session id, or `new`
---@field text string

--- Text of logs on one line, without what a terminal would obey.
---@param text string
---@return string
local function plain(text)
  return (text:gsub('%c', ' '))
end

---@param candidate dsh.Candidate
---@return string
local function describe(candidate)
  local about = { candidate.age }
  if type(candidate.cwd) == 'string' then
    table.insert(about, 1, plain(vim.fn.fnamemodify(candidate.cwd, ':~')))
  end
  return ('%s  (%s)'):format(plain(candidate.displayTitle), table.concat(about, ', '))
end

--- What there is to choose from; rows that would look the same show their ids.
---@param candidates dsh.Candidate[]
---@return dsh.Row[]
local function rows_of(candidates)
  local count = {} ---@type table<string, integer>
  for _, candidate in ipairs(candidates) do
    local text = describe(candidate)
    count[text] = (count[text] or 0) + 1
  end
  local rows = { { session = 'new', text = '+ new session' } } ---@type dsh.Row[]
  for _, candidate in ipairs(candidates) do
    local text = describe(candidate)
    if count[text] > 1 then
      text = ('%s  %s'):format(text, plain(candidate.sessionId))
    end
    table.insert(rows, { session = candidate.sessionId, text = text })
  end
  return rows
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

--- Whether sending goes where the user has chosen, and not where the front matter says.
---@param target dsh.Target
---@param session string a session id, its URI, or `new`
---@return boolean
local function holds(target, session)
  if target.source ~= 'front-matter' then
    return true
  elseif session == 'new' then
    return target.new or target.created
  end
  return target.sessionId == session
end

--- Tell what the server made of a choice.
---@param answer { target: dsh.Target, problems: dsh.Problem[] }
---@param session string what was chosen: a session id, its URI, or `new`
---@return boolean agreed
local function tell(answer, session)
  if #answer.problems > 0 then
    local problem = require('dsh.outcome').explain(answer.problems[1])
    server.notify(problem, vim.log.levels.ERROR)
    return false
  end
  local where = M.describe(answer.target)
  if not holds(answer.target, session) then
    local way = session == 'new' and 'change it there' or 'gra writes your choice there'
    where = ('the front matter goes before a choice: %s\n  -> %s'):format(where, way)
  end
  server.notify(where)
  return true
end

---@param buffer integer
---@param session string a session id, its URI, or `new`
---@param on_set fun() called once the server has agreed
local function set(buffer, session, on_set)
  server.execute('dsh.selectTarget', buffer, { target = session }, function(answer)
    if tell(answer, session) then
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
  server.execute('dsh.sessions', buffer, { ['for'] = 'target' }, function(result)
    local options = {
      prompt = 'Send to',
      format_item = function(row)
        return row.text
      end,
    }
    vim.ui.select(rows_of(result.items), options, function(chosen)
      if chosen then
        set(buffer, chosen.session, on_set)
      end
    end)
  end)
end

--- Create a session now, and make it the target.
---@param buffer integer
function M.create(buffer)
  server.execute('dsh.newSession', buffer, {}, function(answer)
    tell(answer, 'new')
  end)
end

return M
