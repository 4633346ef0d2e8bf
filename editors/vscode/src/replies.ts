/** The replies of the server's commands (docs/commands.md), checked before they are used. */

/** The server answered something else than this version of the extension knows. */
export class ReplyError extends Error {}

export interface Candidate {
  readonly sessionId: string
  readonly displayTitle: string
  readonly cwd: string | undefined
  readonly age: string
}

export interface Sent {
  readonly status: 'accepted' | 'kept' | 'refused' | 'unknown' | 'pending'
  readonly sessionId: string | undefined
  readonly snapshots: number
  readonly problems: readonly Problem[]
  readonly receipt: Receipt | undefined
}

export interface Problem {
  readonly code: string
  readonly severity: string
  readonly message: string
}

export interface Pending {
  readonly requestId: string
  readonly text: string
  readonly standing: string
  readonly message: string
  readonly mayBeSentAgain: boolean
}

export interface Outbox {
  readonly items: readonly Pending[]
  readonly faults: readonly string[]
  readonly problems: readonly Problem[]
  readonly receipt: Receipt | undefined
}

export interface Entered {
  readonly harness: string | undefined
  readonly problem: string | undefined
  /** How many prompts the outbox keeps for a harness. */
  readonly kept: number
}

export interface Status {
  readonly version: string
  readonly stores: readonly string[]
  readonly mode: string
  readonly harness: string
  readonly target: string | undefined
  readonly faults: readonly string[]
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
      age: text(candidate['age']),
    }
  })
}

export function readSent(reply: unknown): Sent {
  const sent = object(reply)
  return {
    status: oneOf(['accepted', 'kept', 'refused', 'unknown', 'pending'], sent['status']),
    sessionId: optionalText(sent['sessionId']),
    snapshots: list(sent['references']).length,
    problems: readProblems(reply),
    receipt: readReceipt(sent['receipt']),
  }
}

function readProblem(value: unknown): Problem {
  const problem = object(value)
  return {
    code: text(problem['code']),
    severity: text(problem['severity']),
    message: text(problem['message']),
  }
}

/** Those problems that forbid what was asked for. */
export function errors(problems: readonly Problem[]): readonly Problem[] {
  return problems.filter(({ severity }) => severity === 'error')
}

/** A `dsh.outbox` reply. */
export function readOutbox(reply: unknown): Outbox {
  const outbox = object(reply)
  return {
    items: list(outbox['items']).map(readPending),
    faults: readFaults(outbox['faults'], 'place'),
    problems: readProblems(reply),
    receipt: readReceipt(outbox['receipt']),
  }
}

function readPending(value: unknown): Pending {
  const pending = object(value)
  return {
    requestId: text(pending['requestId']),
    text: text(pending['text']),
    standing: text(pending['standing']),
    message: text(pending['message']),
    mayBeSentAgain: pending['mayBeSentAgain'] === true,
  }
}

/** A reply of `dsh.login` or `dsh.startHarness`. */
export function readEntered(reply: unknown): Entered {
  const entered = object(reply)
  return {
    harness: entered['harness'] == null ? undefined : describeHarness(entered['harness']),
    problem: optionalText(entered['harnessProblem']),
    kept: count(entered['keptPrompts']),
  }
}

function readReceipt(value: unknown): Receipt | undefined {
  if (value == null) {
    return undefined
  }
  const receipt = object(value)
  const place = receipt['place']
  return {
    state: text(receipt['state']),
    place: typeof place === 'number' ? place : undefined,
    reason: optionalText(receipt['reason']),
  }
}

function object(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ReplyError('an object was expected')
  }
  return value as Record<string, unknown>
}

function text(value: unknown): string {
  if (typeof value !== 'string') {
    throw new ReplyError('a text was expected')
  }
  return value
}

function count(value: unknown): number {
  if (typeof value !== 'number') {
    throw new ReplyError('a number was expected')
  }
  return value
}

function optionalText(value: unknown): string | undefined {
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

/** The target in a reply about a document, as people read it. */
export function readTarget(reply: unknown): string {
  const target = object(object(reply)['target'])
  if (target['new'] === true) {
    return 'new session'
  }
  return optionalText(target['title']) ?? optionalText(target['sessionId']) ?? 'no target'
}

/** Whether the front matter names another target than was chosen: a session id, or `new`. */
export function frontMatterOverrules(reply: unknown, choice: string): boolean {
  const target = object(object(reply)['target'])
  const agrees =
    choice === 'new'
      ? target['new'] === true || target['created'] === true
      : target['sessionId'] === choice
  return target['source'] === 'front-matter' && !agrees
}

/** A `dsh.status` reply; `stores`, `harness` and `faults` are for people. */
export function readStatus(reply: unknown): Status {
  const status = object(reply)
  return {
    version: text(status['version']),
    stores: list(status['stores']).map((item) => {
      const store = object(item)
      return `${text(store['place'])} (${String(store['sessions'])} sessions)`
    }),
    mode: text(status['mode']),
    harness: readHarness(status),
    target: status['target'] == null ? undefined : readTarget(reply),
    faults: [
      ...readFaults(status['settingFaults'], 'path'),
      ...readFaults(status['faults'], 'place'),
    ],
  }
}

function readFaults(value: unknown, where: string): string[] {
  return list(value).map((item) => {
    const fault = object(item)
    return `${text(fault[where])}: ${text(fault['message'])}`
  })
}

function readHarness(status: Record<string, unknown>): string {
  if (status['harness'] == null) {
    return `none: ${text(status['harnessProblem'])}`
  }
  return describeHarness(status['harness'])
}

function describeHarness(value: unknown): string {
  const harness = object(value)
  return `${text(harness['name'])} ${text(harness['version'])}`
}

/** What forbids something that a reply is about. */
export function readProblems(reply: unknown): Problem[] {
  return list(object(reply)['problems']).map(readProblem)
}

/** The text of a `dsh.copyPrepared` reply; undefined when a problem forbids it. */
export function readCopy(reply: unknown): string | undefined {
  return optionalText(object(reply)['text'])
}

/** The document of a `dsh.preview` reply. */
export function readPreview(reply: unknown): string {
  return text(object(reply)['document'])
}
