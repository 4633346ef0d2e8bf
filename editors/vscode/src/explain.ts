import type { Problem } from './replies.js'

/** What to do about a problem here, by its code. The server knows no command of an editor. */
const WAYS: Readonly<Record<string, string>> = {
  'no-target': 'Use "DSH: Choose the Target Session".',
  'unknown-target': '"DSH: Choose the Target Session" shows those that there are.',
  'no-harness':
    'Use "DSH: Start a Harness", "DSH: Log In to a Harness", or "DSH: Copy the Prepared Prompt" for another chat.',
  'needs-login': 'Use "DSH: Log In to a Harness".',
  'needs-session':
    'Use "DSH: Choose the Target Session", or "DSH: Copy the Prepared Prompt" for another chat.',
  'cannot-resolve': 'Or use "DSH: Copy the Prepared Prompt".',
  'already-kept': '"DSH: Show the Outbox" shows that prompt, and sends it.',
  'already-sent': '"DSH: Show the Outbox" shows that prompt.',
  'outcome-unknown': '"DSH: Show the Outbox" shows what is known of it.',
}

/** A problem with what to do about it. */
export function explain({ code, message }: Problem): string {
  const way = WAYS[code]
  const sentence = /[.!?]$/.test(message) ? message : `${message}.`
  return way === undefined ? sentence : `${sentence} ${way}`
}
