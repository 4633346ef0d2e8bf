import type { Problem } from './replies.js'

/** What to do about a problem here, by its code. The server knows no command of an editor. */
const WAYS: Readonly<Record<string, string>> = {
  'no-target': 'Use "DSH: Choose the Target Session".',
  'unknown-target': '"DSH: Choose the Target Session" shows those that there are.',
  'no-harness':
    'Start `dsh web` and send again, or use "DSH: Copy the Prepared Prompt" for another chat.',
  'already-sent': '`dsh-lsp outbox` in a terminal shows that prompt.',
  'outcome-unknown': '`dsh-lsp outbox` in a terminal shows what is known of it.',
}

/** A problem with what to do about it. */
export function explain({ code, message }: Problem): string {
  const way = WAYS[code]
  const sentence = /[.!?]$/.test(message) ? message : `${message}.`
  return way === undefined ? sentence : `${sentence} ${way}`
}
