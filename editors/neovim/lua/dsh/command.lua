--- The command `:Dsh`.
local M = {}

---@class dsh.Subcommand
---@field run fun(buffer: integer, words: string[], lines: [integer, integer]?) `lines` are the first and the last, from 1
---@field words string[] what may follow, for completion
---@field most integer how many words may follow
---@field ranged boolean whether a range of lines means something

---@type table<string, dsh.Subcommand>
local subcommands = {
  send = {
    words = { 'queue', 'steer' },
    most = 1,
    ranged = true,
    run = function(buffer, words, lines)
      require('dsh.send').send(buffer, words[1], lines)
    end,
  },
  keep = {
    words = { 'queue', 'steer' },
    most = 1,
    ranged = true,
    run = function(buffer, words, lines)
      require('dsh.send').keep(buffer, words[1], lines)
    end,
  },
  preview = {
    words = {},
    most = 0,
    ranged = true,
    run = function(buffer, _, lines)
      require('dsh.preview').open(buffer, lines)
    end,
  },
  copy = {
    words = {},
    most = 0,
    ranged = true,
    run = function(buffer, _, lines)
      require('dsh.copy').copy(buffer, lines)
    end,
  },
  target = {
    words = { 'new' },
    most = 1,
    ranged = false,
    run = function(buffer, words)
      require('dsh.target').choose(buffer, words[1])
    end,
  },
  new = {
    words = {},
    most = 0,
    ranged = false,
    run = function(buffer)
      require('dsh.target').create(buffer)
    end,
  },
  status = {
    words = {},
    most = 0,
    ranged = false,
    run = function(buffer)
      require('dsh.status').show(buffer)
    end,
  },
  login = {
    words = {},
    most = 1,
    ranged = false,
    run = function(_, words)
      require('dsh.harness').login(words[1])
    end,
  },
  start = {
    words = {},
    most = 0,
    ranged = false,
    run = function()
      require('dsh.harness').start()
    end,
  },
  outbox = {
    words = {},
    most = 0,
    ranged = false,
    run = function()
      require('dsh.outbox').open()
    end,
  },
  scratch = {
    words = {},
    most = 0,
    ranged = false,
    run = function()
      require('dsh.scratch').open()
    end,
  },
}

local names = vim.fn.sort(vim.tbl_keys(subcommands)) ---@type string[]

---@param arguments vim.api.keyset.create_user_command.command_args
---@return string? fault
local function dispatch(arguments)
  local name = arguments.fargs[1]
  if name == nil then
    require('dsh.scratch').resume()
    return
  end
  local words = vim.list_slice(arguments.fargs, 2)
  local subcommand = subcommands[name]
  if subcommand == nil then
    return ('there is no :Dsh %s; there are %s'):format(name, table.concat(names, ', '))
  end
  if #words > subcommand.most then
    return (':Dsh %s: too many words'):format(name)
  end
  local lines = nil ---@type [integer, integer]?
  if arguments.range > 0 then
    if not subcommand.ranged then
      return (':Dsh %s takes no range of lines'):format(name)
    end
    lines = { arguments.line1, arguments.line2 }
  end
  subcommand.run(vim.api.nvim_get_current_buf(), words, lines)
end

---@param arguments vim.api.keyset.create_user_command.command_args
function M.run(arguments)
  local fault = dispatch(arguments)
  if fault then
    require('dsh.server').notify(fault, vim.log.levels.ERROR)
  end
end

---@param lead string what has been typed of the word
---@param line string the whole command line
---@return string[]
function M.complete(lead, line)
  local before = vim.split(line:match('Dsh%s+(.*)$') or '', '%s+')
  local words = names
  if #before == 2 then
    words = subcommands[before[1]] and subcommands[before[1]].words or {}
  elseif #before > 2 then
    words = {}
  end
  return vim.tbl_filter(function(word)
    return vim.startswith(word, lead)
  end, words)
end

return M
