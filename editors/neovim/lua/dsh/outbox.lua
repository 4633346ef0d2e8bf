--- Prompts that are kept, or whose fate is not settled: they can be sent or forgotten.
local M = {}

local server = require('dsh.server')

---@class dsh.Pending
---@field requestId string
---@field text string
---@field standing string 'kept' where it has not been sent yet
---@field message string the same for people
---@field mayBeSentAgain boolean

---@class dsh.Deed
---@field text string
---@field member 'resend'|'discard' of the command's argument
---@field done string

---@type dsh.Deed
local send = { text = 'send it', member = 'resend', done = 'sent' }
---@type dsh.Deed
local resend = { text = 'send it again', member = 'resend', done = 'sent again' }
---@type dsh.Deed
local discard = { text = 'forget it', member = 'discard', done = 'forgotten' }

--- One line without what a terminal would obey.
---@param text string
---@return string
local function plain(text)
  return (vim.trim(text):gsub('%c+', ' '))
end

---@param item dsh.Pending
---@return string
local function describe(item)
  local text = plain(item.text)
  if vim.fn.strchars(text) > 40 then
    text = vim.fn.strcharpart(text, 0, 39) .. '…'
  end
  return ('%s  (%s)'):format(text, plain(item.message))
end

---@param item dsh.Pending
---@param deed dsh.Deed
local function apply(item, deed)
  server.execute_anywhere('dsh.outbox', { [deed.member] = item.requestId }, function(result)
    local outcome = require('dsh.outcome')
    if #result.problems > 0 then
      server.notify('nothing was done:' .. outcome.reasons(result), vim.log.levels.ERROR)
    else
      server.notify(deed.done .. outcome.fate(result.receipt, 0))
    end
  end)
end

---@param item dsh.Pending
local function choose_deed(item)
  local sending = item.standing == 'kept' and send or resend
  local deeds = item.mayBeSentAgain and { sending, discard } or { discard }
  local options = {
    prompt = describe(item),
    format_item = function(deed)
      return deed.text
    end,
  }
  vim.ui.select(deeds, options, function(deed)
    if deed then
      apply(item, deed)
    end
  end)
end

--- Look for every prompt of the outbox, and let the user choose what becomes of one.
function M.open()
  server.execute_anywhere('dsh.outbox', {}, function(result)
    for _, fault in ipairs(result.faults) do
      server.notify(plain(fault.place .. ': ' .. fault.message), vim.log.levels.WARN)
    end
    if #result.items == 0 then
      server.notify('the outbox is empty')
      return
    end
    vim.ui.select(result.items, { prompt = 'Outbox', format_item = describe }, function(item)
      if item then
        choose_deed(item)
      end
    end)
  end)
end

return M
