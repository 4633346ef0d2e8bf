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
  if (!wantsTarget(sent)) {
    await tell(sent)
  } else if (await chooseTarget(server, argument)) {
    await send(server, argument)
  }
}

/** Whether nothing but the choice of a target is missing. */
function wantsTarget(sent: Sent): boolean {
  const found = errors(sent.problems)
  return found.length > 0 && found.every(({ code }) => code === 'no-target')
}

async function tell(sent: Sent): Promise<void> {
  switch (sent.status) {
    case 'accepted':
      void window.showInformationMessage(
        `Sent to ${sent.sessionId ?? 'its session'}${fate(sent.receipt, sent.snapshots)}.`,
      )
      tellRemarks(sent.problems)
      return
    case 'pending':
      void window.showWarningMessage(`Not sent again: ${reasons(sent)}`)
      return
    case 'unknown':
      void window.showWarningMessage(`Perhaps sent: ${reasons(sent)}`)
      return
    case 'refused':
      await tellRefusal(sent)
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

async function tellRefusal(sent: Sent): Promise<void> {
  const show = 'Show Problems'
  if ((await window.showErrorMessage(`Not sent: ${reasons(sent)}`, show)) === show) {
    await commands.executeCommand('workbench.actions.view.problems')
  }
}

function reasons(sent: Sent): string {
  return errors(sent.problems).map(explain).join(' ')
}
