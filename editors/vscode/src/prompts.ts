import { languages, window, type TextDocument, type TextEditor } from 'vscode'
import { promptLanguages } from './settings.js'

/** Schemes of documents that people write; a preview or a diff side is no prompt. */
const SCHEMES: readonly string[] = ['file', 'untitled', 'vscode-remote']

/** Which documents the language server is given. */
export function promptSelector(): { scheme: string; language: string }[] {
  return SCHEMES.flatMap((scheme) => promptLanguages().map((language) => ({ scheme, language })))
}

/** Whether a document is a prompt. */
export function isPrompt(document: TextDocument): boolean {
  return languages.match(promptSelector(), document) > 0
}

/** The editor that the user is in, if it holds a prompt. */
export function activePrompt(): TextEditor | undefined {
  const editor = window.activeTextEditor
  return editor && isPrompt(editor.document) ? editor : undefined
}
