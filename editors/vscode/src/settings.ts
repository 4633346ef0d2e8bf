import { workspace } from 'vscode'

/** What only this extension reads; the server would report these keys as unknown. */
const OWN_KEYS: ReadonlySet<string> = new Set(['server', 'markdown', 'trace'])

/** The section `dsh` as the server reads it (docs/settings.md): an object of objects. */
export function serverSettings(): Record<string, unknown> {
  const section = workspace.getConfiguration().get<Record<string, unknown>>('dsh', {})
  return Object.fromEntries(Object.entries(section).filter(([key]) => !OWN_KEYS.has(key)))
}

/** The program of the language server. */
export function serverProgram(): string {
  return workspace.getConfiguration('dsh').get<string>('server.command', 'dsh-lsp')
}

/** The language ids whose documents are prompts. */
export function promptLanguages(): readonly string[] {
  const markdown = workspace.getConfiguration('dsh').get<boolean>('markdown.enabled', false)
  return markdown ? ['dsh-prompt', 'markdown'] : ['dsh-prompt']
}
