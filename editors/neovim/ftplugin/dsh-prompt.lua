-- A prompt is Markdown with mentions, so everything that the user has for Markdown applies to it.
vim.treesitter.language.register('markdown', 'dsh-prompt')
vim.cmd.runtime({ 'ftplugin/markdown.vim', 'ftplugin/markdown.lua', bang = true })

if require('dsh.options').read().completion then
  -- A row is taken only when it has been chosen, so that Enter stays a line break.
  vim.bo.completeopt = 'menuone,noselect,popup'
  vim.b.undo_ftplugin = (vim.b.undo_ftplugin or '') .. '\n setlocal completeopt<'
end
