--- What the server says of itself, for people.
local M = {}

---@param value any
---@param path string
---@param lines string[]
local function collect(value, path, lines)
  if type(value) ~= 'table' then
    if value ~= vim.NIL then
      -- Control characters would break the list, or the terminal.
      table.insert(lines, ('%s: %s'):format(path, (tostring(value):gsub('%c', ' '))))
    end
    return
  end
  for key, child in vim.spairs(value) do
    collect(child, path == '' and tostring(key) or ('%s.%s'):format(path, key), lines)
  end
end

--- One line for each fact of a `dsh.status` result.
---@param status table<string, any>
---@return string[]
function M.lines(status)
  local lines = {} ---@type string[]
  collect(status, '', lines)
  return lines
end

---@param buffer integer
function M.show(buffer)
  local server = require('dsh.server')
  server.execute('dsh.status', buffer, {}, function(status)
    server.notify(table.concat(M.lines(status), '\n'))
  end)
end

return M
