// Runs inside the extension host of a real VS Code: the API that any extension has.
const assert = require('node:assert/strict')
const { mkdirSync, readdirSync, writeFileSync } = require('node:fs')
const { join } = require('node:path')
const vscode = require('vscode')

const { DSH_RESULTS, DSH_MENTION, DSH_EMBEDDED } = process.env
const PATIENCE = 30_000

async function until(look, what) {
  const deadline = Date.now() + PATIENCE
  for (;;) {
    const found = await look()
    if (found) {
      return found
    }
    assert.ok(Date.now() < deadline, `${what} did not come`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

function file(name) {
  return vscode.Uri.joinPath(vscode.workspace.workspaceFolders[0].uri, name)
}

async function open(name, text) {
  const editor = await vscode.window.showTextDocument(file(name), { preview: false })
  await editor.edit((edit) => {
    const last = editor.document.lineAt(editor.document.lineCount - 1).range.end
    edit.replace(new vscode.Range(new vscode.Position(0, 0), last), text)
  })
  return editor
}

/** Answer the next dialog of `window[name]` instead of a person. */
function answer(name, choose) {
  const original = vscode.window[name]
  const asked = []
  vscode.window[name] = async (...args) => {
    const resolved = [await args[0], ...args.slice(1)]
    asked.push(resolved)
    return choose(...resolved)
  }
  return { asked, restore: () => (vscode.window[name] = original) }
}

function texts(list) {
  return list.items.map(({ label }) => (typeof label === 'string' ? label : label.label))
}

/** Put a prompt into the outbox, as a server that died would. */
function leave(requestId, sessionId, text) {
  const record = {
    format: 1,
    requestId,
    sessionId,
    text,
    mode: 'queue',
    timeZone: null,
    references: [],
    document: null,
    createdAt: 5,
    attemptedAt: 5,
    attempts: 1,
    phase: 'sending',
  }
  const folder = join(DSH_EMBEDDED, 'outbox')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${requestId}.json`), JSON.stringify(record))
}

const tests = {
  async 'a prompt has its language and wakes the extension'() {
    const editor = await open('ask.dsh.md', 'Go on with @')
    assert.equal(editor.document.languageId, 'dsh-prompt')
    const extension = vscode.extensions.getExtension('dsh-lsp.dsh-lsp')
    await until(() => extension.isActive, 'activation')
  },

  async 'sessions are offered, and accepting one writes its mention'() {
    const editor = await open('ask.dsh.md', 'Go on with @login')
    const end = editor.document.lineAt(0).range.end
    const row = await until(async () => {
      const list = await vscode.commands.executeCommand(
        'vscode.executeCompletionItemProvider',
        editor.document.uri,
        end,
        '@',
      )
      return list.items[texts(list).findIndex((text) => text.includes('Fix the login'))]
    }, 'the row')
    const range = row.range.replacing ?? row.range
    await editor.edit((edit) => edit.replace(range, row.insertText.value ?? row.insertText))
    assert.equal(editor.document.getText(), `Go on with ${DSH_MENTION}`)
  },

  async 'faults are marked and corrected'() {
    const editor = await open('ask.dsh.md', 'see @[x](dsh-session:!!) now')
    const [fault] = await until(() => {
      const found = vscode.languages.getDiagnostics(editor.document.uri)
      return found.length > 0 && found
    }, 'the diagnostic')
    assert.equal(fault.source, 'dsh')
    await open('ask.dsh.md', `see ${DSH_MENTION} now`)
    await until(
      () => vscode.languages.getDiagnostics(editor.document.uri).length === 0,
      'the correction',
    )
  },

  async 'a mention shows its session'() {
    const editor = await open('ask.dsh.md', `see ${DSH_MENTION} now`)
    const shown = await until(async () => {
      const hovers = await vscode.commands.executeCommand(
        'vscode.executeHoverProvider',
        editor.document.uri,
        new vscode.Position(0, 8),
      )
      return hovers.flatMap(({ contents }) => contents.map(({ value }) => value)).join('\n')
    }, 'the hover')
    assert.match(shown, /Fix the login/)
    assert.match(shown, /The cookie is dropped\./)
  },

  async 'the preview is a read-only document beside the prompt'() {
    await open('ask.dsh.md', `see ${DSH_MENTION} now`)
    await vscode.commands.executeCommand('dsh.prompt.preview')
    const preview = vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === 'dsh-preview')
    assert.match(preview.getText(), /<referenced-sessions>/)
    assert.equal(preview.languageId, 'markdown')
  },

  async 'sending without a target asks for one, then tells what became of the prompt'() {
    await open('ask.dsh.md', `Go on with ${DSH_MENTION}`)
    const pick = answer('showQuickPick', (items) => items[0])
    const told = answer('showInformationMessage', () => undefined)
    try {
      await vscode.commands.executeCommand('dsh.prompt.send')
      // What lies in the user's own store can be mentioned, and is no target of this harness.
      assert.deepEqual(
        pick.asked[0][0].map(({ target }) => target),
        ['new'],
      )
      assert.match(told.asked[0][0], /^Sent to .*recorded with 1 snapshot\.$/)
    } finally {
      pick.restore()
      told.restore()
    }
    const logs = readdirSync(DSH_EMBEDDED, { recursive: true })
    assert.equal(logs.filter((name) => name.endsWith('.zstd')).length, 1)
  },

  async 'a target of before is offered with its age'() {
    await open('ask.dsh.md', 'hello')
    const pick = answer('showQuickPick', () => undefined)
    try {
      await vscode.commands.executeCommand('dsh.prompt.target')
      const [, before, ...more] = pick.asked[0][0]
      assert.deepEqual(more, [])
      assert.match(before.description, /^just now$|ago$/)
      assert.ok(before.detail.includes(before.target))
    } finally {
      pick.restore()
    }
  },

  async 'a choice beside front matter says which holds'() {
    await open('ask.dsh.md', '---\ndsh:\n  session: session-there\n---\nhello')
    const pick = answer('showQuickPick', (items) => items[0])
    const told = answer('showWarningMessage', () => undefined)
    try {
      await vscode.commands.executeCommand('dsh.prompt.target')
      assert.match(told.asked[0][0], /^The front matter goes before a choice.*session-there/)
      assert.match(told.asked[0][0], /Change it there\.$/)
    } finally {
      pick.restore()
      told.restore()
    }
  },

  async 'a refusal is shown once'() {
    await open('ask.dsh.md', 'see @[x](dsh-session:!!)')
    const told = answer('showErrorMessage', () => undefined)
    try {
      await vscode.commands.executeCommand('dsh.prompt.send')
      assert.equal(told.asked.length, 1)
      assert.match(told.asked[0][0], /^Not sent: /)
    } finally {
      told.restore()
    }
  },

  async 'the prepared message is copied'() {
    await open('ask.dsh.md', `see ${DSH_MENTION} now`)
    const told = answer('showInformationMessage', () => undefined)
    try {
      await vscode.commands.executeCommand('dsh.prompt.copy')
      assert.match(
        await vscode.env.clipboard.readText(),
        /<referenced-sessions>[^]*see @Fix the login now$/,
      )
      assert.equal(told.asked.length, 1)
    } finally {
      told.restore()
    }
  },

  async 'the status names store, harness and target'() {
    await open('ask.dsh.md', 'hello')
    const told = answer('showInformationMessage', () => undefined)
    try {
      await vscode.commands.executeCommand('dsh.prompt.status')
      const { detail } = told.asked[0][1]
      assert.match(
        detail,
        /^Store: .*\(\d sessions\)\nStore: .*\(1 sessions\)\nHarness: dsh-lsp embedded .*\nTarget: /,
      )
    } finally {
      told.restore()
    }
  },

  async 'a login asks for the link unseen, and tells its outcome'() {
    const input = answer('showInputBox', () => ' http://127.0.0.1:9/?token=secret ')
    const told = answer('showErrorMessage', () => undefined)
    try {
      await vscode.commands.executeCommand('dsh.prompt.login')
      assert.equal(input.asked[0][0].password, true)
      assert.match(told.asked[0][0], /^No harness: .*no harness to log in to/)
      assert.doesNotMatch(told.asked[0][0], /secret/)
    } finally {
      input.restore()
      told.restore()
    }
  },

  async 'starting a harness tells its outcome'() {
    const told = answer('showErrorMessage', () => undefined)
    try {
      await vscode.commands.executeCommand('dsh.prompt.startHarness')
      assert.match(told.asked[0][0], /^None was started: .*starts no harness/)
    } finally {
      told.restore()
    }
  },

  async 'the outbox sends again and forgets'() {
    const told = answer('showInformationMessage', () => undefined)
    const pick = answer('showQuickPick', (items) => items[0])
    try {
      await vscode.commands.executeCommand('dsh.prompt.outbox')
      assert.equal(told.asked.at(-1)[0], 'The outbox is empty.')
      const [log] = readdirSync(DSH_EMBEDDED, { recursive: true }).filter((name) =>
        name.endsWith('.zstd'),
      )
      leave('one', log.split('/').at(-2), 'Lost $(bug)\nprompt')
      await vscode.commands.executeCommand('dsh.prompt.outbox')
      const [[items], [deeds]] = pick.asked
      assert.equal(items[0].label, 'Lost $\u200b(bug) prompt')
      assert.match(items[0].detail, /can be sent again$/)
      assert.deepEqual(
        deeds.map(({ label }) => label),
        ['Send It Again', 'Forget It'],
      )
      assert.match(told.asked.at(-1)[0], /^Sent again, recorded\.$/)
      leave('two', 'session-elsewhere', 'Never settled')
      await vscode.commands.executeCommand('dsh.prompt.outbox')
      assert.equal(told.asked.at(-1)[0], 'Forgotten.')
      await vscode.commands.executeCommand('dsh.prompt.outbox')
      assert.equal(told.asked.at(-1)[0], 'The outbox is empty.')
    } finally {
      pick.restore()
      told.restore()
    }
  },

  async 'a prompt is kept, and sent from the outbox'() {
    await open('ask.dsh.md', 'For later')
    const told = answer('showInformationMessage', () => undefined)
    const warned = answer('showWarningMessage', () => undefined)
    const pick = answer('showQuickPick', (items) => items[0])
    try {
      await vscode.commands.executeCommand('dsh.prompt.newSession')
      await vscode.commands.executeCommand('dsh.prompt.keep')
      assert.match(told.asked.at(-1)[0], /^Kept for session-.*, not sent yet\./)
      await vscode.commands.executeCommand('dsh.prompt.keep')
      assert.match(warned.asked.at(-1)[0], /^Not kept: An equal prompt is kept.*sends it\.$/)
      await vscode.commands.executeCommand('dsh.prompt.outbox')
      const [[items], [deeds]] = pick.asked
      assert.deepEqual(
        items.map(({ label, detail }) => [label, detail]),
        [['For later', 'it is kept, not sent yet']],
      )
      assert.deepEqual(
        deeds.map(({ label }) => label),
        ['Send It', 'Forget It'],
      )
      assert.equal(told.asked.at(-1)[0], 'Sent, recorded.')
    } finally {
      told.restore()
      warned.restore()
      pick.restore()
    }
  },

  async 'without a harness a refused prompt can be kept'() {
    await open('ask.dsh.md', '---\ndsh:\n  session: session-login\n---\nAnd this')
    const settings = vscode.workspace.getConfiguration('dsh')
    const mode = settings.get('harness.mode')
    await settings.update('harness.mode', 'off', vscode.ConfigurationTarget.Global)
    const refused = answer('showErrorMessage', (_, ...buttons) => buttons[0])
    const told = answer('showInformationMessage', () => undefined)
    const pick = answer('showQuickPick', (items) => items.at(-1))
    try {
      await vscode.commands.executeCommand('dsh.prompt.send')
      assert.match(refused.asked[0][0], /^Not sent: .*switched off/)
      assert.deepEqual(refused.asked[0].slice(1), ['Keep It in the Outbox'])
      assert.match(told.asked.at(-1)[0], /^Kept for session-login, not sent yet\./)
      await vscode.commands.executeCommand('dsh.prompt.outbox') // the last deed forgets it
      assert.equal(told.asked.at(-1)[0], 'Forgotten.')
    } finally {
      refused.restore()
      told.restore()
      pick.restore()
      await settings.update('harness.mode', mode, vscode.ConfigurationTarget.Global)
    }
  },

  async 'a command without a prompt says what to open'() {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors')
    const told = answer('showErrorMessage', () => undefined)
    try {
      await vscode.commands.executeCommand('dsh.prompt.send')
      assert.match(told.asked[0][0], /^Open a prompt first/)
    } finally {
      told.restore()
    }
  },

  async 'Markdown files are prompts by a setting'() {
    const editor = await open('notes.md', 'see @[x](dsh-session:!!)')
    const settings = vscode.workspace.getConfiguration('dsh')
    const faults = () => vscode.languages.getDiagnostics(editor.document.uri)
    await new Promise((resolve) => setTimeout(resolve, 500)) // faults that should not come
    assert.deepEqual(faults(), [])
    await settings.update('markdown.enabled', true, vscode.ConfigurationTarget.Global)
    await until(() => faults().length > 0, 'the diagnostic')
    await settings.update('markdown.enabled', undefined, vscode.ConfigurationTarget.Global)
    await until(() => faults().length === 0, 'the end of the diagnostic')
  },

  async 'a setting takes effect at once'() {
    const editor = await open('ask.dsh.md', `${DSH_MENTION} and again ${DSH_MENTION}`)
    const settings = vscode.workspace.getConfiguration('dsh')
    const faults = () => vscode.languages.getDiagnostics(editor.document.uri)
    await until(() => faults().length === 1, 'the diagnostic')
    await settings.update('diagnostics.duplicate', false, vscode.ConfigurationTarget.Global)
    await until(() => faults().length === 0, 'the end of the diagnostic')
    await settings.update('diagnostics.duplicate', undefined, vscode.ConfigurationTarget.Global)
  },

  async 'the server restarts, and a missing one is named once'() {
    await open('ask.dsh.md', 'hello')
    const told = answer('showErrorMessage', () => undefined)
    const server = vscode.workspace.getConfiguration('dsh.server')
    try {
      await vscode.commands.executeCommand('dsh.prompt.restart')
      assert.deepEqual(told.asked, [])
      const program = server.get('command')
      await server.update('command', 'no-such-dsh-lsp', vscode.ConfigurationTarget.Global)
      await until(() => told.asked.length > 0, 'the complaint')
      await open('ask.dsh.md', 'hello again')
      await open('notes.md', 'hello too')
      assert.equal(told.asked.length, 1)
      assert.match(told.asked[0][0], /"no-such-dsh-lsp" cannot be run/)
      await server.update('command', program, vscode.ConfigurationTarget.Global)
    } finally {
      told.restore()
    }
  },
}

exports.run = async () => {
  const results = {}
  for (const [name, test] of Object.entries(tests)) {
    try {
      await test()
      results[name] = null
    } catch (error) {
      results[name] = String(error.stack)
    }
  }
  writeFileSync(DSH_RESULTS, JSON.stringify(results))
}
