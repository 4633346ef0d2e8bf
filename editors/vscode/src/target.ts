import { window, type QuickPickItem } from 'vscode'
import type { Argument } from './argument.js'
import { explain } from './explain.js'
import { withoutIcons } from './icons.js'
import {
  frontMatterOverrules,
  readCandidates,
  readProblems,
  readTarget,
  type Candidate,
} from './replies.js'
import type { Server } from './server.js'

interface TargetItem extends QuickPickItem {
  readonly target: string
}

const NEW_SESSION: TargetItem = {
  label: '$(add) New session',
  description: 'created when the prompt is sent',
  target: 'new',
}

/** Let the user choose where a prompt goes; false when nothing was chosen. */
export async function chooseTarget(server: Server, argument: Argument): Promise<boolean> {
  const items = server
    .execute('dsh.sessions', { uri: argument.uri, for: 'target' })
    .then((reply) => [NEW_SESSION, ...readCandidates(reply).map(toItem)])
  const chosen = await window.showQuickPick(items, {
    placeHolder: 'Send to',
    matchOnDescription: true,
    matchOnDetail: true,
  })
  return (
    chosen !== undefined &&
    agreed(
      await server.execute('dsh.selectTarget', { uri: argument.uri, target: chosen.target }),
      chosen.target,
    )
  )
}

/** Create a session, and make it the target of a prompt. */
export async function newSession(server: Server, argument: Argument): Promise<void> {
  agreed(await server.execute('dsh.newSession', { uri: argument.uri }), NEW_SESSION.target)
}

/** Whether the server took a choice; if it did not, the user is told why. */
function agreed(reply: unknown, choice: string): boolean {
  const [problem] = readProblems(reply)
  if (problem) {
    void window.showErrorMessage(explain(problem))
  } else if (frontMatterOverrules(reply, choice)) {
    const way =
      choice === NEW_SESSION.target
        ? 'Change it there.'
        : 'The quick fix "Write the target session into the front matter" writes your choice there.'
    void window.showWarningMessage(
      `The front matter goes before a choice, and says: ${readTarget(reply)}. ${way}`,
    )
  }
  return problem === undefined
}

function toItem({ sessionId, displayTitle, cwd, age }: Candidate): TargetItem {
  return {
    label: withoutIcons(displayTitle),
    description: age,
    detail: [...(cwd === undefined ? [] : [withoutIcons(cwd)]), sessionId].join(' · '),
    target: sessionId,
  }
}
