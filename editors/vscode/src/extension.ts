import { commands, window, workspace, type ExtensionContext } from 'vscode'
import { activeArgument, givenArgument, selectionArgument, type Argument } from './argument.js'
import { copyPrepared } from './copy.js'
import { showFailure } from './failure.js'
import { login, startHarness } from './harness.js'
import { openOutbox } from './outbox.js'
import { Previews } from './preview.js'
import { activePrompt, isPrompt } from './prompts.js'
import { keep, send } from './send.js'
import { Server } from './server.js'
import { showStatus } from './status.js'
import { chooseTarget, newSession } from './target.js'
import { TargetItem } from './targetItem.js'

export function activate(context: ExtensionContext): void {
  const previews = new Previews()
  const server = new Server((command, args, next) => {
    const route = routes[command]
    return route ? guarded(() => route(givenArgument(args[0]))) : next(command, args)
  })
  const targetItem = new TargetItem(server)

  // What a lens or an action of the server names, done with the same dialogs as the palette's.
  const routes: Readonly<Record<string, (argument: Argument) => Promise<unknown>>> = {
    'dsh.send': (argument) => send(server, argument),
    'dsh.preview': (argument) => previews.open(server, argument),
    'dsh.copyPrepared': (argument) => copyPrepared(server, argument),
    'dsh.newSession': (argument) => newSession(server, argument),
    'dsh.selectTarget': (argument) =>
      'target' in argument
        ? server.execute('dsh.selectTarget', argument)
        : chooseTarget(server, argument),
  }

  const actions: Readonly<Record<string, () => Promise<unknown>>> = {
    'dsh.prompt.send': () => send(server, activeArgument()),
    'dsh.prompt.sendSelection': () => send(server, selectionArgument()),
    'dsh.prompt.steer': () => send(server, { ...activeArgument(), mode: 'steer' }),
    'dsh.prompt.keep': () => keep(server, activeArgument()),
    'dsh.prompt.preview': () => previews.open(server, activeArgument()),
    'dsh.prompt.copy': () => copyPrepared(server, activeArgument()),
    'dsh.prompt.target': () => chooseTarget(server, activeArgument()),
    'dsh.prompt.newSession': () => newSession(server, activeArgument()),
    'dsh.prompt.login': () => login(server),
    'dsh.prompt.startHarness': () => startHarness(server),
    'dsh.prompt.outbox': () => openOutbox(server),
    'dsh.prompt.status': () => showStatus(server),
    'dsh.prompt.restart': () => server.restart(),
  }

  async function guarded(action: () => Promise<unknown>): Promise<void> {
    try {
      await action()
    } catch (error) {
      showFailure(error)
    }
    targetItem.refresh()
  }

  function attend(): void {
    const active = activePrompt() !== undefined
    void commands.executeCommand('setContext', 'dsh.promptActive', active)
    const open = workspace.textDocuments.some(isPrompt)
    void guarded(() => (open ? server.wake() : Promise.resolve()))
  }

  context.subscriptions.push(
    server,
    previews,
    targetItem,
    ...Object.entries(actions).map(([name, action]) =>
      commands.registerCommand(name, () => guarded(action)),
    ),
    window.onDidChangeActiveTextEditor(attend),
    workspace.onDidOpenTextDocument(attend),
    workspace.onDidSaveTextDocument(() => {
      targetItem.refresh() // front matter may name another
    }),
    workspace.onDidChangeConfiguration((change) => {
      if (['dsh.server', 'dsh.markdown'].some((key) => change.affectsConfiguration(key))) {
        void server.stop().then(attend, showFailure)
      }
    }),
  )
  attend()
}
