--- The session that a prompt goes to.
local M = {}

local server = require('dsh.server')

---@class dsh.Candidate
---@field sessionId string
---@field displayTitle string
---@field cwd string?

local new_session = { sessionId = 'new', displayTitle = '+ new session' }

--- Titles come from logs: one line, without what a terminal would obey.
---@param candidate dsh.Candidate
---@return string
local function row(candidate)
  local title = candidate.displayTitle:gsub('%c', ' ')
  if type(candidate.cwd) ~= 'string' then
    return title
  end
  return ('%s  (%s)'):format(title, (vim.fn.fnamemodify(candidate.cwd, ':~'):gsub('%c', ' ')))
end

---@param buffer integer
---@param session string a session id, or `new`
local function set(buffer, session)
  server.execute('dsh.selectTarget', buffer, { target = session }, function()
    server.notify(session == 'new' and 'sending creates a session' or 'sending goes to ' .. session)
  end)
end

--- Set the target, or let the user choose among the sessions of the server.
---@param buffer integer
---@param session string? a session id, or `new`
function M.choose(buffer, session)
  if session then
    set(buffer, session)
    return
  end
  server.execute('dsh.sessions', buffer, {}, function(result)
    local rows = vim.list_extend({ new_session }, result.items) ---@type dsh.Candidate[]
    vim.ui.select(rows, { prompt = 'Send to', format_item = row }, function(chosen)
      if chosen then
        set(buffer, chosen.sessionId)
      end
    end)
  end)
end

--- Create a session now, and make it the target.
---@param buffer integer
function M.create(buffer)
  server.execute('dsh.newSession', buffer, {}, function(result)
    server.notify('created session ' .. result.sessionId)
  end)
end

return M
