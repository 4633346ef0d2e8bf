local options = require('dsh.options').read()

---@type vim.lsp.Config
return {
  cmd = options.cmd,
  filetypes = options.markdown and { 'dsh-prompt', 'markdown' } or { 'dsh-prompt' },
  init_options = options.settings,
  settings = { dsh = options.settings },
  root_dir = function(buffer, on_dir)
    on_dir(require('dsh.server').root(buffer))
  end,
}
