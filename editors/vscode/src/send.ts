import { commands, window } from 'vscode'
import type { Argument } from './argument.js'
import { explain } from './explain.js'
import { fate } from './fate.js'
import { errors, readSent, type Problem, type Sent } from './replies.js'
import type { Server } from './server.js'
import { chooseTarget } from './target.js'

/** Send a prompt, and tell what became of it. Without a target the user is asked for one. */
export async function send(server: Server, argument: Argument): Promise<void> {
  const sent = readSent(await server.execute('dsh.send', argument))
  if (!lacksOnly('no-target', sent)) {
    await tell(server, argument, sent)
  } else if (await chooseTarget(server, argument)) {
    await send(server, argument)
  }
}

/** The same, but nothing is sent: the prompt goes into the outbox, for when there is a harness. */
export function keep(server: Server, argument: Argument): Promise<void> {
  return send(server, { ...argument, keep: true })
}

/** Whether nothing else is in the way than one kind of problem. */
function lacksOnly(wanted: string, sent: Sent): boolean {
  const found = errors(sent.problems)
  return found.length > 0 && found.every(({ code }) => code === wanted)
}

async function tell(server: Server, argument: Argument, sent: Sent): Promise<void> {
  const undone = 'keep' in argument ? 'Not kept' : 'Not sent'
  switch (sent.status) {
    case 'accepted':
      void window.showInformationMessage(
        `Sent to ${sent.sessionId ?? 'its session'}${fate(sent.receipt, sent.snapshots)}.`,
      )
      tellRemarks(sent.problems)
      return
    case 'kept':
      void window.showInformationMessage(
        `Kept for ${sent.sessionId ?? 'its session'}, not sent yet. "DSH: Show the Outbox" sends it.`,
      )
      return
    case 'pending':
      void window.showWarningMessage(`${undone}: ${reasons(sent)}`)
      return
    case 'unknown':
      void window.showWarningMessage(`Perhaps sent: ${reasons(sent)}`)
      return
    case 'refused':
      if (lacksOnly('no-harness', sent) || lacksOnly('needs-login', sent)) {
        await offerKeeping(server, argument, sent)
      } else {
        await tellRefusal(`${undone}: ${reasons(sent)}`)
      }
  }
}

const REMARKABLE: readonly string[] = ['earlier-prompts', 'expanded-here', 'snapshot-differs']

/** What is worth telling although the prompt was sent. */
function tellRemarks(problems: readonly Problem[]): void {
  for (const { code, message } of problems) {
    if (REMARKABLE.includes(code)) {
      void window.showWarningMessage(message)
    }
  }
}

async function offerKeeping(server: Server, argument: Argument, sent: Sent): Promise<void> {
  const wish = 'Keep It in the Outbox'
  if ((await window.showErrorMessage(`Not sent: ${reasons(sent)}`, wish)) === wish) {
    await keep(server, argument)
  }
}

async function tellRefusal(message: string): Promise<void> {
  const show = 'Show Problems'
  if ((await window.showErrorMessage(message, show)) === show) {
    await commands.executeCommand('workbench.actions.view.problems')
  }
}

function reasons(sent: Sent): string {
  return errors(sent.problems).map(explain).join(' ')
}
