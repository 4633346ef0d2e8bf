local options = require('dsh.options').read()

---@type vim.lsp.Config
return {
  cmd = options.cmd,
  filetypes = options.markdown and { 'dsh-prompt', 'markdown' } or { 'dsh-prompt' },
  init_options = options.settings,
  settings = { dsh = options.settings },
  capabilities = {
    experimental = {
      -- Rows of directories go on behind their slash, by a name that VS Code has given this.
      commands = { commands = { 'editor.action.triggerSuggest' } },
      -- What messages of the server call the outbox here.
      dsh = { outbox = '`:Dsh outbox`' },
    },
  },
  commands = {
    ['editor.action.triggerSuggest'] = function()
      vim.lsp.completion.get()
    end,
  },
  root_dir = function(buffer, on_dir)
    on_dir(require('dsh.server').root(buffer))
  end,
}
