import {
  EventEmitter,
  Uri,
  ViewColumn,
  languages,
  window,
  workspace,
  type Disposable,
  type TextDocumentContentProvider,
} from 'vscode'
import type { Argument } from './argument.js'
import { readPreview } from './replies.js'
import type { Server } from './server.js'

const SCHEME = 'dsh-preview'

/** Read-only documents that show what the model will see. */
export class Previews implements TextDocumentContentProvider, Disposable {
  private readonly texts = new Map<string, string>()
  private readonly changed = new EventEmitter<Uri>()
  private readonly registrations: readonly Disposable[]

  readonly onDidChange = this.changed.event

  constructor() {
    this.registrations = [
      workspace.registerTextDocumentContentProvider(SCHEME, this),
      workspace.onDidCloseTextDocument(({ uri }) => this.texts.delete(uri.toString())),
    ]
  }

  provideTextDocumentContent(uri: Uri): string {
    return this.texts.get(uri.toString()) ?? 'Run the preview again to see it.'
  }

  /** Open the preview of a prompt beside it, or renew it. */
  async open(server: Server, argument: Argument): Promise<void> {
    const text = readPreview(await server.execute('dsh.preview', argument))
    const prompt = Uri.parse(argument.uri)
    const uri = Uri.from({ scheme: SCHEME, path: prompt.path, query: argument.uri })
    this.texts.set(uri.toString(), text)
    this.changed.fire(uri)
    const document = await workspace.openTextDocument(uri)
    await languages.setTextDocumentLanguage(document, 'markdown')
    await window.showTextDocument(document, {
      viewColumn: ViewColumn.Beside,
      preserveFocus: true,
      preview: true,
    })
  }

  dispose(): void {
    this.changed.dispose()
    this.registrations.forEach((registration): void => {
      registration.dispose()
    })
  }
}
