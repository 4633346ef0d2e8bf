import { ProgressLocation, window } from 'vscode'
import { readEntered } from './replies.js'
import type { Server } from './server.js'

/** Ask for the link that a harness printed, and enter it. The link is shown and logged nowhere. */
export async function login(server: Server): Promise<void> {
  const link = await window.showInputBox({
    title: 'Log In to a Harness',
    prompt: 'The link that `dsh web` printed, with its token',
    password: true,
    ignoreFocusOut: true, // the link is fetched from a terminal
  })
  if (link?.trim()) {
    tell(await server.executeUntraced('dsh.login', { link: link.trim() }), 'No harness')
  }
}

/** Start a harness and enter it. */
export async function startHarness(server: Server): Promise<void> {
  const progress = { location: ProgressLocation.Notification, title: 'Starting a harness' }
  const reply = await window.withProgress(progress, () => server.execute('dsh.startHarness', {}))
  tell(reply, 'None was started')
}

function tell(reply: unknown, failed: string): void {
  const { harness, problem, kept } = readEntered(reply)
  if (harness === undefined) {
    void window.showErrorMessage(`${failed}: ${problem ?? 'no reason was given'}`)
  } else {
    void window.showInformationMessage(`Harness: ${harness}${waiting(kept)}`)
  }
}

function waiting(kept: number): string {
  if (kept === 0) {
    return ''
  }
  const prompts = kept === 1 ? '1 kept prompt' : `${String(kept)} kept prompts`
  return `. ${prompts} can be sent now: "DSH: Show the Outbox".`
}
