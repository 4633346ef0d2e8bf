-- A prompt is Markdown with mentions, so everything that the user has for Markdown applies to it.
vim.treesitter.language.register('markdown', 'dsh-prompt')
vim.cmd.runtime({ 'ftplugin/markdown.vim', 'ftplugin/markdown.lua', bang = true })
