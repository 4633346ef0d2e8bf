import { window, type Selection, type TextEditor } from 'vscode'
import { activePrompt } from './prompts.js'
import { ShownError } from './server.js'

/** The one argument of the server's commands (docs/commands.md). */
export type Argument = Readonly<Record<string, unknown>> & { readonly uri: string }

/** The argument for the prompt that the user is in. */
export function activeArgument(): Argument {
  const { document } = activeEditor()
  return { uri: document.uri.toString(), version: document.version }
}

/** The same for its selection only. */
export function selectionArgument(): Argument {
  const { selection } = activeEditor()
  return { ...activeArgument(), range: toRange(selection) }
}

/** An argument that came from the server, such as that of a lens. */
export function givenArgument(value: unknown): Argument {
  const argument = value as Argument | null | undefined
  return typeof argument?.uri === 'string' ? argument : activeArgument()
}

function activeEditor(): TextEditor {
  const editor = activePrompt()
  if (editor === undefined) {
    const message = 'Open a prompt first: a file whose name ends in .dsh.md'
    void window.showErrorMessage(message)
    throw new ShownError(message)
  }
  return editor
}

function toRange({ start, end }: Selection): object {
  return {
    start: { line: start.line, character: start.character },
    end: { line: end.line, character: end.character },
  }
}
