import { window } from 'vscode'
import type { Server } from './server.js'

/** Show what the server says of itself. */
export async function showStatus(server: Server): Promise<void> {
  const reply = await server.execute('dsh.status', {})
  const detail = [...facts(reply, '')].join('\n')
  await window.showInformationMessage('DSH status', { modal: true, detail })
}

/** One line for each fact, however deep. */
function* facts(value: unknown, path: string): Iterable<string> {
  if (typeof value === 'object' && value !== null) {
    for (const [key, child] of Object.entries(value)) {
      yield* facts(child, path === '' ? key : `${path}.${key}`)
    }
  } else if (value !== null && value !== undefined) {
    yield `${path}: ${typeof value === 'string' ? value : JSON.stringify(value)}`
  }
}
