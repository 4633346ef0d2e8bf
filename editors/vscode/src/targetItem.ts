import { StatusBarAlignment, window, type Disposable, type StatusBarItem } from 'vscode'
import { activePrompt } from './prompts.js'
import { readTarget } from './replies.js'
import type { Server } from './server.js'

/** Where the active prompt goes, in the status bar. */
export class TargetItem implements Disposable {
  private readonly item: StatusBarItem = window.createStatusBarItem(
    'dsh.target',
    StatusBarAlignment.Right,
    100,
  )

  constructor(private readonly server: Server) {
    this.item.name = 'DSH target'
    this.item.command = 'dsh.prompt.target'
  }

  /** Ask the server again, and show what it says unless the user has moved on. */
  refresh(): void {
    const editor = activePrompt()
    if (editor === undefined) {
      this.item.hide()
      return
    }
    void this.ask(editor.document.uri.toString())
  }

  dispose(): void {
    this.item.dispose()
  }

  private async ask(uri: string): Promise<void> {
    const target = await this.server
      .ask('dsh.status', { uri })
      .then(readTarget)
      .catch(() => 'no server')
    if (activePrompt()?.document.uri.toString() !== uri) {
      return
    }
    this.item.text = `$(comment-discussion) ${target.replaceAll('$(', '$\u200b(')}`
    this.item.tooltip = 'Where this prompt goes. Click to choose.'
    this.item.show()
  }
}
