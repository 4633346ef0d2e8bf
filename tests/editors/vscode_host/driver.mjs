// Opens a VS Code in the browser, which runs the extension's tests, and ends with their exit code.
// node driver.mjs CHROMIUM ORIGIN FOLDER EXTENSION SUITE
import { chromium } from 'playwright-core'

const TIME_LIMIT = 180_000

const [executablePath, origin, folder, extension, suite] = process.argv.slice(2)
const authority = new URL(origin).host
const remote = (path) => `vscode-remote://${authority}${path}`
const payload = JSON.stringify([
  ['extensionDevelopmentPath', remote(extension)],
  ['extensionTestsPath', remote(suite)],
])

// VS Code says a lot; it matters when its tests do not end well.
const said = []
const browser = await chromium.launch({
  executablePath,
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--no-first-run',
  ],
})
try {
  const page = await browser.newPage()
  const ended = new Promise((resolve) => page.exposeFunction('codeAutomationExit', resolve))
  await page.exposeFunction('codeAutomationLog', (kind, values) => said.push([kind, ...values]))
  const late = new Promise((resolve) => setTimeout(resolve, TIME_LIMIT, 'late').unref())
  await page.goto(`${origin}/?${new URLSearchParams({ folder, payload })}`)
  const code = await Promise.race([ended, late])
  if (code !== 0) {
    said.forEach((words) => console.log(...words))
    console.log(`the tests ended with ${code}`)
    process.exitCode = 1
  }
} finally {
  await browser.close()
}
