import { commands, window } from 'vscode'
import type { Argument } from './argument.js'
import { errors, readSent, type Problem, type Receipt, type Sent } from './replies.js'
import type { Server } from './server.js'
import { chooseTarget } from './target.js'

/** Send a prompt, and tell what became of it. Without a target the user is asked for one. */
export async function send(server: Server, argument: Argument): Promise<void> {
  const sent = readSent(await server.execute('dsh.send', argument))
  if (!wantsTarget(sent)) {
    await tell(sent)
  } else if (await chooseTarget(server, argument)) {
    await send(server, argument)
  }
}

/** Whether nothing but the choice of a target is missing. */
function wantsTarget(sent: Sent): boolean {
  const found = errors(sent.problems)
  return found.length === 1 && found[0]?.code === 'no-target'
}

async function tell(sent: Sent): Promise<void> {
  switch (sent.status) {
    case 'accepted':
      void window.showInformationMessage(
        `Sent to ${sent.sessionId ?? 'its session'}${fate(sent.receipt)}.`,
      )
      return
    case 'pending':
      void window.showInformationMessage('Kept in the outbox, not sent yet.')
      return
    case 'unknown':
      void window.showWarningMessage(
        'Sent, but no answer came: look at the session before you send the prompt again.',
      )
      return
    case 'refused':
      await tellRefusal(errors(sent.problems))
  }
}

async function tellRefusal(problems: readonly Problem[]): Promise<void> {
  const show = 'Show Problems'
  const message = `Not sent: ${problems.map(({ message }) => message).join(' ')}`
  if ((await window.showErrorMessage(message, show)) === show) {
    await commands.executeCommand('workbench.actions.view.problems')
  }
}

function fate(receipt: Receipt | undefined): string {
  switch (receipt?.state) {
    case 'captured':
      return ', recorded with its references'
    case 'queued':
      return `, waiting at place ${String(receipt.place)}`
    case 'ended':
      return `, but its turn ended: ${receipt.reason ?? 'no reason was given'}`
    default:
      return ''
  }
}
