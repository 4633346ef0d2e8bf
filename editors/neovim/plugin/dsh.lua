if vim.g.loaded_dsh then
  return
end
vim.g.loaded_dsh = true

if vim.fn.has('nvim-0.11') == 0 then
  vim.notify_once('dsh: Neovim 0.11 or newer is needed', vim.log.levels.ERROR)
  return
end

vim.lsp.enable('dsh')

local group = vim.api.nvim_create_augroup('dsh', {})

vim.api.nvim_create_autocmd('FileType', {
  group = group,
  pattern = { 'dsh-prompt', 'markdown' },
  desc = 'Tell once that the server is missing, since Neovim does not',
  callback = function(event)
    if vim.list_contains(vim.lsp.config.dsh.filetypes, event.match) then
      local missing = require('dsh.server').missing()
      if missing then
        vim.notify_once('dsh: ' .. missing, vim.log.levels.WARN)
      end
    end
  end,
})

vim.api.nvim_create_autocmd('LspAttach', {
  group = group,
  desc = 'Offer sessions and files while a prompt is typed',
  callback = function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if client and client.name == 'dsh' then
      local by_itself = require('dsh.options').read().completion
      require('dsh.completion').enable(client, event.buf, by_itself)
    end
  end,
})

vim.api.nvim_create_user_command('Dsh', function(arguments)
  require('dsh.command').run(arguments)
end, {
  nargs = '*',
  range = true,
  desc = 'Write, preview and send prompts',
  complete = function(lead, line)
    return require('dsh.command').complete(lead, line)
  end,
})
