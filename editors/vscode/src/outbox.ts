import { window, type QuickPickItem } from 'vscode'
import { explain } from './explain.js'
import { fate } from './fate.js'
import { withoutIcons } from './icons.js'
import { readOutbox, type Pending } from './replies.js'
import type { Server } from './server.js'

interface PendingItem extends QuickPickItem {
  readonly pending: Pending
}

interface DeedItem extends QuickPickItem {
  readonly member: 'resend' | 'discard'
  readonly done: string
}

const SEND: DeedItem = { label: 'Send It', member: 'resend', done: 'Sent' }
const RESEND: DeedItem = { label: 'Send It Again', member: 'resend', done: 'Sent again' }
const DISCARD: DeedItem = { label: 'Forget It', member: 'discard', done: 'Forgotten' }

/** Look for every prompt of the outbox, and let the user choose what becomes of one. */
export async function openOutbox(server: Server): Promise<void> {
  const { items, faults } = readOutbox(await server.execute('dsh.outbox', {}))
  for (const fault of faults) {
    void window.showWarningMessage(fault)
  }
  if (items.length === 0) {
    void window.showInformationMessage('The outbox is empty.')
    return
  }
  const chosen = await window.showQuickPick(items.map(toItem), {
    placeHolder: 'Prompts that are kept, or whose fate is not settled',
  })
  if (chosen) {
    await settle(server, chosen)
  }
}

async function settle(server: Server, { label, pending }: PendingItem): Promise<void> {
  const sending = pending.standing === 'kept' ? SEND : RESEND
  const deeds = pending.mayBeSentAgain ? [sending, DISCARD] : [DISCARD]
  const deed = await window.showQuickPick(deeds, { placeHolder: label })
  if (deed === undefined) {
    return
  }
  const reply = await server.execute('dsh.outbox', { [deed.member]: pending.requestId })
  const { problems, receipt } = readOutbox(reply)
  if (problems.length > 0) {
    void window.showErrorMessage(`Nothing was done: ${problems.map(explain).join(' ')}`)
  } else {
    void window.showInformationMessage(`${deed.done}${fate(receipt, 0)}.`)
  }
}

function toItem(pending: Pending): PendingItem {
  const text = withoutIcons(pending.text.trim().replaceAll(/\s+/g, ' '))
  const label = text.length > 60 ? `${text.slice(0, 59)}…` : text
  return { label, detail: withoutIcons(pending.message), pending }
}
