import {
  commands,
  LogLevel,
  window,
  workspace,
  type Disposable,
  type LogOutputChannel,
} from 'vscode'
import {
  ExecuteCommandRequest,
  LanguageClient,
  State,
  Trace,
  type LanguageClientOptions,
  type StaticFeature,
} from 'vscode-languageclient/node'
import { canRun } from './program.js'
import { promptSelector } from './prompts.js'
import { serverProgram, serverSettings } from './settings.js'

/** A failure that the user has already been shown. */
export class ShownError extends Error {}

/** Runs a command that a lens or an action of the server names. */
export type OnServerCommand = (
  command: string,
  args: unknown[],
  next: (command: string, args: unknown[]) => unknown,
) => unknown

/** The language server: started when first needed, and restarted on request. */
export class Server implements Disposable {
  private starting: Promise<LanguageClient> | undefined
  private failed = false
  private readonly output: LogOutputChannel = window.createOutputChannel('DSH', { log: true })

  constructor(private readonly onServerCommand: OnServerCommand) {}

  /** Start the server, unless that has been tried: then only the user's wish tries again. */
  async wake(): Promise<void> {
    if (!this.failed) {
      await this.client()
    }
  }

  /** Run a command that the user wants. The server shows its progress; check its result. */
  async execute(command: string, argument: object): Promise<unknown> {
    return run(await this.client(), command, argument)
  }

  /** Run a command whose argument is a secret: what is said meanwhile is in no log. */
  async executeUntraced(command: string, argument: object): Promise<unknown> {
    const client = await this.client()
    await client.setTrace(Trace.Off)
    try {
      return await run(client, command, argument)
    } finally {
      await client.setTrace(wantedTrace(this.output.logLevel))
    }
  }

  /** Run a command only if the server is there anyway. */
  async ask(command: string, argument: object): Promise<unknown> {
    const client = await this.starting?.catch(() => undefined)
    return client && run(client, command, argument)
  }

  async restart(): Promise<void> {
    await this.stop()
    await this.client()
  }

  /** Stop the server, and forget whether it could be started. */
  async stop(): Promise<void> {
    const starting = this.starting
    this.starting = undefined
    this.failed = false
    const client = await starting?.catch(() => undefined)
    if (client && client.state !== State.Stopped && client.state !== State.StartFailed) {
      await client.dispose()
    }
  }

  async dispose(): Promise<void> {
    await this.stop()
    this.output.dispose()
  }

  /** The client of the running server. Rejects with `ShownError` when it cannot be started. */
  private async client(): Promise<LanguageClient> {
    this.starting ??= this.start()
    const starting = this.starting
    try {
      return await starting
    } catch (error) {
      if (this.starting === starting) {
        this.starting = undefined
        this.failed = true
      }
      throw error
    }
  }

  private async start(): Promise<LanguageClient> {
    const program = serverProgram()
    if (!(await canRun(program))) {
      void offerSettings(program)
      throw new ShownError(`${program} cannot be run`)
    }
    const executable = { command: program, args: ['serve'] }
    const client = new LanguageClient('dsh', 'DSH', executable, this.options())
    client.registerFeature(EDITOR_COMMANDS)
    try {
      await client.start()
    } catch {
      throw new ShownError('the language client has shown why the server does not start')
    }
    return client
  }

  private options(): LanguageClientOptions {
    return {
      documentSelector: promptSelector(),
      initializationOptions: serverSettings,
      outputChannel: this.output,
      middleware: {
        executeCommand: (command, args: unknown[], next) =>
          this.onServerCommand(command, args, next),
        workspace: {
          configuration: ({ items }) =>
            items.map(({ section }) => (section === 'dsh' ? serverSettings() : null)),
        },
      },
    }
  }
}

function run(client: LanguageClient, command: string, argument: object): Promise<unknown> {
  const params = { command, arguments: [argument] }
  return client.sendRequest(ExecuteCommandRequest.type, params)
}

/** Tells the server which commands of the editor its rows may run, and its messages may name. */
const EDITOR_COMMANDS: StaticFeature = {
  fillClientCapabilities(capabilities) {
    capabilities.experimental = {
      commands: { commands: ['editor.action.triggerSuggest'] },
      dsh: { outbox: '"DSH: Show the Outbox"' },
    }
  },
  initialize() {
    // Nothing of the server's reply matters here.
  },
  getState: () => ({ kind: 'static' }),
  clear() {
    // Nothing is kept.
  },
}

/** What the language client traces by itself. */
function wantedTrace(level: LogLevel): Trace {
  const wanted = workspace.getConfiguration('dsh').get<string>('trace.server', 'off')
  if (level !== LogLevel.Trace) {
    return Trace.Off
  }
  return wanted === 'off' ? Trace.Messages : Trace.fromString(wanted)
}

async function offerSettings(program: string): Promise<void> {
  const open = 'Open Settings'
  const message = `The language server "${program}" cannot be run. Install it as docs/editors/vscode.md of the project tells, or set dsh.server.command to its path.`
  if ((await window.showErrorMessage(message, open)) === open) {
    await commands.executeCommand('workbench.action.openSettings', 'dsh.server.command')
  }
}
