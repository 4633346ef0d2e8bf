import { env, window } from 'vscode'
import type { Argument } from './argument.js'
import { explain } from './explain.js'
import { errors, readCopy, readProblems } from './replies.js'
import type { Server } from './server.js'

/** Put the prepared message on the clipboard, for any other chat. */
export async function copyPrepared(server: Server, argument: Argument): Promise<void> {
  const reply = await server.execute('dsh.copyPrepared', argument)
  const text = readCopy(reply)
  if (text === undefined) {
    const reasons = errors(readProblems(reply)).map(explain)
    void window.showErrorMessage(`Not copied: ${reasons.join(' ')}`)
    return
  }
  await env.clipboard.writeText(text)
  void window.showInformationMessage('Copied the prompt and what it mentions.')
}
