--- What the user set in `vim.g.dsh`, checked, with defaults.
local M = {}

---@class dsh.Options
---@field cmd string[] the server and its arguments
---@field settings table<string, any> settings of the server, as in docs/settings.md
---@field markdown boolean whether Markdown files are prompts as well
---@field completion boolean whether rows come up by themselves behind `@`

---@type dsh.Options
local defaults = {
  cmd = { 'dsh-lsp', 'serve' },
  settings = vim.empty_dict(),
  markdown = false,
  completion = true,
}

---@param value any
---@return boolean
local function is_command(value)
  return vim.islist(value)
    and #value > 0
    and vim.iter(value):all(function(word)
      return type(word) == 'string'
    end)
end

---@type table<string, { is: (fun(value: any): boolean), wants: string }>
local rules = {
  cmd = { is = is_command, wants = "a list of strings, such as { 'dsh-lsp', 'serve' }" },
  settings = {
    is = function(value)
      return type(value) == 'table' and (vim.tbl_isempty(value) or not vim.islist(value))
    end,
    wants = "a table with names, such as { harness = { mode = 'embedded' } }",
  },
  markdown = {
    is = function(value)
      return type(value) == 'boolean'
    end,
    wants = 'true or false',
  },
  completion = {
    is = function(value)
      return type(value) == 'boolean'
    end,
    wants = 'true or false',
  },
}

--- The options, and what is wrong with `vim.g.dsh`. A wrong option keeps its default.
---@return dsh.Options options
---@return string[] faults
function M.read()
  local options = vim.deepcopy(defaults)
  local given = vim.g.dsh
  if given == nil then
    return options, {}
  end
  if type(given) ~= 'table' then
    return options, { 'vim.g.dsh must be a table, but is a ' .. type(given) }
  end
  local faults = {} ---@type string[]
  for name, value in vim.spairs(given) do
    local rule = rules[name]
    if rule == nil then
      local known = table.concat(vim.fn.sort(vim.tbl_keys(rules)), ', ')
      table.insert(
        faults,
        ('vim.g.dsh.%s is not an option; the options are %s'):format(name, known)
      )
    elseif not rule.is(value) then
      table.insert(faults, ('vim.g.dsh.%s must be %s'):format(name, rule.wants))
    elseif name ~= 'settings' or not vim.tbl_isempty(value) then -- JSON has lists for empty ones
      options[name] = value
    end
  end
  return options, faults
end

return M
