--- The one way to the language server: finding its client and running its commands.
local M = {}

---@param message string
---@param level? vim.log.levels
function M.notify(message, level)
  vim.notify('dsh: ' .. message, level or vim.log.levels.INFO)
end

--- The folder whose files and sessions come first for a prompt.
---@param buffer integer
---@return string
function M.root(buffer)
  return vim.fs.root(buffer, '.git') or vim.fn.getcwd()
end

--- The program of the server; nil where a function connects to it.
---@return string?
function M.program()
  local cmd = vim.lsp.config.dsh.cmd
  return type(cmd) == 'table' and cmd[1] or nil
end

--- Why the server cannot be started, with what to do about it; nil where it can.
---@return string?
function M.missing()
  local program = M.program()
  if program and vim.fn.executable(program) == 0 then
    return ('%s cannot be run: install it (:help dsh-setup), or name it in vim.g.dsh.cmd'):format(
      program
    )
  end
end

--- Attach the server to a buffer that is no file, which `vim.lsp.enable` passes over.
---@param buffer integer
function M.attach(buffer)
  if M.missing() then
    return -- has been told when the buffer got its file type
  end
  local config = vim.deepcopy(vim.lsp.config.dsh)
  config.root_dir = M.root(buffer)
  vim.lsp.start(config, { bufnr = buffer })
end

---@param buffer integer
---@return vim.lsp.Client?
function M.client(buffer)
  return vim.lsp.get_clients({ name = 'dsh', bufnr = buffer })[1]
end

---@param complaint string
local function unattached(complaint)
  M.notify(M.missing() or (complaint .. ' See :checkhealth dsh'), vim.log.levels.ERROR)
end

---@param client vim.lsp.Client
---@param command string
---@param buffer integer
---@param argument table<string, any>
---@param on_result fun(result: any)
local function request(client, command, buffer, argument, on_result)
  -- An empty table would be an empty list.
  local arguments = { vim.tbl_isempty(argument) and vim.empty_dict() or argument }
  local params = { command = command, arguments = arguments }
  client:request('workspace/executeCommand', params, function(failure, result)
    if failure then
      M.notify(failure.message, vim.log.levels.ERROR)
    elseif result ~= nil and result ~= vim.NIL then
      on_result(result)
    end
  end, buffer)
end

--- Run a server command for a buffer, and hand its result on. Failures are shown here, once.
---@param command string
---@param buffer integer
---@param arguments table<string, any> what goes beside `uri` and `version`
---@param on_result fun(result: any)
function M.execute(command, buffer, arguments, on_result)
  local client = M.client(buffer)
  if client == nil then
    unattached('no server is attached to this buffer: is it a prompt (*.dsh.md)?')
    return
  end
  local argument = vim.tbl_extend('error', {
    uri = vim.uri_from_bufnr(buffer),
    version = vim.lsp.util.buf_versions[buffer],
  }, arguments)
  request(client, command, buffer, argument, on_result)
end

--- The same for a command that is about no document, from any buffer.
---@param command string
---@param arguments table<string, any>
---@param on_result fun(result: any)
function M.execute_anywhere(command, arguments, on_result)
  local here = vim.api.nvim_get_current_buf()
  local client = M.client(here) or vim.lsp.get_clients({ name = 'dsh' })[1]
  if client == nil then
    unattached('no server runs: open a prompt (*.dsh.md), or :Dsh for a scratch one.')
    return
  end
  request(client, command, here, arguments, on_result)
end

return M
