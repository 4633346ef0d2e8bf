import { window, type QuickPickItem } from 'vscode'
import type { Argument } from './argument.js'
import { readCandidates, type Candidate } from './replies.js'
import type { Server } from './server.js'

interface TargetItem extends QuickPickItem {
  readonly target: string
}

const NEW_SESSION: TargetItem = {
  label: '$(add) New session',
  description: 'created when the prompt is sent',
  target: 'new',
}

/** Let the user choose where a prompt goes. */
export async function chooseTarget(server: Server, argument: Argument): Promise<void> {
  const items = server
    .execute('dsh.sessions', argument)
    .then((reply) => [NEW_SESSION, ...readCandidates(reply).map(toItem)])
  const chosen = await window.showQuickPick(items, {
    placeHolder: 'Send to',
    matchOnDescription: true,
    matchOnDetail: true,
  })
  if (chosen) {
    await server.execute('dsh.selectTarget', { ...argument, target: chosen.target })
  }
}

/** Create a session, and make it the target of a prompt. */
export async function newSession(server: Server, argument: Argument): Promise<void> {
  await server.execute('dsh.newSession', argument)
}

/** Titles come from logs: `$(` would draw an icon. */
function toItem({ sessionId, displayTitle, cwd }: Candidate): TargetItem {
  return {
    label: displayTitle.replaceAll('$(', '$\u200b('),
    description: sessionId,
    target: sessionId,
    ...(cwd === undefined ? {} : { detail: cwd.replaceAll('$(', '$\u200b(') }),
  }
}
