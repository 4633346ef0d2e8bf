import { window } from 'vscode'
import { activePrompt } from './prompts.js'
import { readStatus } from './replies.js'
import type { Server } from './server.js'

/** Show what the server says of itself, and of the active prompt. */
export async function showStatus(server: Server): Promise<void> {
  const prompt = activePrompt()?.document.uri.toString()
  const reply = await server.execute('dsh.status', prompt === undefined ? {} : { uri: prompt })
  const status = readStatus(reply)
  const detail = [
    ...status.stores.map((store) => `Store: ${store}`),
    `Harness: ${status.harness} (mode ${status.mode})`,
    ...(status.target === undefined ? [] : [`Target: ${status.target}`]),
    ...status.faults,
  ].join('\n')
  await window.showInformationMessage(`dsh-lsp ${status.version}`, { modal: true, detail })
}
