--- `:checkhealth dsh`.
local M = {}

local function check_neovim()
  local running = vim.version()
  local version = ('%d.%d.%d'):format(running.major, running.minor, running.patch)
  if vim.fn.has('nvim-0.11') == 1 then
    vim.health.ok('Neovim ' .. version)
  else
    vim.health.error('Neovim ' .. version .. ' is too old', 'Install Neovim 0.11 or newer')
  end
end

local function check_options()
  local _, faults = require('dsh.options').read()
  for _, fault in ipairs(faults) do
    vim.health.error(fault, 'See :help g:dsh')
  end
  if #faults == 0 then
    local is_set = vim.g.dsh ~= nil
    vim.health.ok(
      is_set and 'The options in vim.g.dsh are right' or 'vim.g.dsh is not set: defaults'
    )
  end
end

--- What the program says of itself.
---@return string? version
local function check_program()
  local program = require('dsh.server').program()
  if program == nil then
    vim.health.info('a function connects to the server')
    return
  end
  if vim.fn.executable(program) == 0 then
    vim.health.error(('`%s` cannot be run'):format(program), {
      'Install it: :help dsh-setup',
      "or name it: vim.g.dsh = { cmd = { '/path/to/dsh-lsp', 'serve' } }",
    })
    return
  end
  local path = vim.fn.exepath(program)
  if vim.fs.basename(program) ~= 'dsh-lsp' then
    vim.health.info(('the server is started by `%s`'):format(path))
    return
  end
  local ran, outcome = pcall(function()
    return vim.system({ program, '--version' }, { text = true, timeout = 10000 }):wait()
  end)
  if not ran or outcome.code ~= 0 then
    local reason = ran and vim.trim(outcome.stderr or '') or tostring(outcome)
    vim.health.error(('`%s --version` failed: %s'):format(path, reason), 'Install dsh-lsp again')
    return
  end
  local version = vim.trim(outcome.stdout)
  vim.health.ok(('%s (%s)'):format(version, path))
  return version
end

---@param version string? of the program
local function check_server(version)
  local client = vim.lsp.get_clients({ name = 'dsh' })[1]
  if client == nil then
    vim.health.warn('No server is running', 'Open a prompt (*.dsh.md), or :Dsh scratch')
    return
  end
  local count = vim.tbl_count(client.attached_buffers)
  vim.health.ok(
    ('The server is running for %d buffer(s), counts in %s'):format(count, client.offset_encoding)
  )
  local params = { command = 'dsh.status', arguments = { vim.empty_dict() } }
  local reply, failure = client:request_sync('workspace/executeCommand', params, 10000)
  if reply == nil then
    vim.health.error('The server gave no status: ' .. tostring(failure), 'See :LspLog')
  elseif reply.err then
    vim.health.error('The server gave no status: ' .. reply.err.message, 'See :LspLog')
  else
    local facts, faults = require('dsh.status').describe(reply.result)
    if facts[1] == version then
      table.remove(facts, 1) -- has been told
    end
    vim.tbl_map(vim.health.ok, facts)
    vim.tbl_map(vim.health.warn, faults)
  end
end

function M.check()
  vim.health.start('dsh: editor')
  check_neovim()
  check_options()
  vim.health.start('dsh: server')
  check_server(check_program())
end

return M
