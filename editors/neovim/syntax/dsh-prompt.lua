if vim.b.current_syntax then
  return
end
vim.cmd.runtime({ 'syntax/markdown.vim', bang = true })
vim.b.current_syntax = 'dsh-prompt'
