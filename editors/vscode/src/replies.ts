/** The replies of the server's commands (docs/commands.md), checked before they are used. */

export class ReplyError extends Error {}

export interface Candidate {
  readonly sessionId: string
  readonly displayTitle: string
  readonly cwd: string | undefined
}

export interface Sent {
  readonly status: 'accepted' | 'refused' | 'unknown' | 'pending'
  readonly sessionId: string | undefined
  readonly problems: readonly string[]
  readonly receipt: Receipt | undefined
}

export interface Receipt {
  readonly state: string
  readonly place: number | undefined
  readonly reason: string | undefined
}

export function readCandidates(reply: unknown): Candidate[] {
  return list(object(reply)['items']).map((item) => {
    const candidate = object(item)
    return {
      sessionId: text(candidate['sessionId']),
      displayTitle: text(candidate['displayTitle']),
      cwd: optionalText(candidate['cwd']),
    }
  })
}

export function readSent(reply: unknown): Sent {
  const sent = object(reply)
  return {
    status: oneOf(['accepted', 'refused', 'unknown', 'pending'], sent['status']),
    sessionId: optionalText(sent['sessionId']),
    problems: list(sent['problems']).map((problem) => text(object(problem)['message'])),
    receipt: sent['receipt'] == null ? undefined : readReceipt(sent['receipt']),
  }
}

function readReceipt(value: unknown): Receipt {
  const receipt = object(value)
  const place = receipt['place']
  return {
    state: text(receipt['state']),
    place: typeof place === 'number' ? place : undefined,
    reason: optionalText(receipt['reason']),
  }
}

export function object(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ReplyError('an object was expected')
  }
  return value as Record<string, unknown>
}

export function text(value: unknown): string {
  if (typeof value !== 'string') {
    throw new ReplyError('a text was expected')
  }
  return value
}

export function optionalText(value: unknown): string | undefined {
  return value == null ? undefined : text(value)
}

function list(value: unknown): unknown[] {
  if (!Array.isArray(value)) {
    throw new ReplyError('a list was expected')
  }
  return value
}

function oneOf<Word extends string>(words: readonly Word[], value: unknown): Word {
  const word = words.find((candidate) => candidate === value)
  if (word === undefined) {
    throw new ReplyError(`one of ${words.join(', ')} was expected`)
  }
  return word
}

export function readTarget(reply: unknown): string | undefined {
  const target = object(reply)['target']
  return target == null ? undefined : optionalText(object(target)['sessionId'])
}

export function readPreview(reply: unknown): string {
  return text(object(reply)['text'])
}
