import type { Receipt } from './replies.js'

/** What is known of a prompt that was taken, as the end of a sentence. */
export function fate(receipt: Receipt | undefined, snapshots: number): string {
  switch (receipt?.state) {
    case 'captured':
      return `, recorded${beside(snapshots)}`
    case 'queued':
      return `, waiting at place ${String(receipt.place)}`
    case 'ended':
      return `, but its turn ended: ${receipt.reason ?? 'no reason was given'}`
    default:
      return ''
  }
}

function beside(snapshots: number): string {
  if (snapshots === 0) {
    return ''
  }
  return snapshots === 1 ? ' with 1 snapshot' : ` with ${String(snapshots)} snapshots`
}
