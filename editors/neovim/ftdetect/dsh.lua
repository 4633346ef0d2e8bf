-- Patterns, since the extension of `x.dsh.md` alone would say Markdown.
vim.filetype.add({
  pattern = {
    ['.*%.dsh%.md'] = 'dsh-prompt',
    ['.*%.prompt%.dsh'] = 'dsh-prompt',
  },
})
