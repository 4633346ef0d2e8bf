// Formats Lua files with stylua, or checks their format and the globals that they use.
// node lua_tools.mjs format|check FOLDER
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import luaparse from 'luaparse'
import {
  CallParenType,
  Config,
  IndentType,
  LuaVersion,
  OutputVerification,
  QuoteStyle,
  formatCode,
} from '@johnnymorganz/stylua'

const KNOWN_GLOBALS = new Set([
  'assert', 'error', 'ipairs', 'math', 'pairs', 'pcall', 'require', 'string', 'table', 'tonumber',
  'tostring', 'type', 'unpack', 'vim',
])

function style() {
  const config = Config.new()
  config.syntax = LuaVersion.LuaJIT
  config.column_width = 100
  config.indent_type = IndentType.Spaces
  config.indent_width = 2
  config.quote_style = QuoteStyle.AutoPreferSingle
  config.call_parentheses = CallParenType.Always
  return config
}

function formatted(source) {
  return formatCode(source, style(), undefined, OutputVerification.Full)
}

function strangeGlobals(source) {
  const { globals } = luaparse.parse(source, { luaVersion: 'LuaJIT', scope: true })
  return globals.map(({ name }) => name).filter((name) => !KNOWN_GLOBALS.has(name))
}

const actions = {
  format(path, source) {
    writeFileSync(path, formatted(source))
    return []
  },
  check(path, source) {
    const faults = strangeGlobals(source).map((name) => `${path}: unknown global ${name}`)
    return formatted(source) === source ? faults : [...faults, `${path}: not formatted`]
  },
}

const [action, folder] = process.argv.slice(2)
const paths = readdirSync(folder, { recursive: true })
  .filter((name) => name.endsWith('.lua'))
  .map((name) => join(folder, name))
const faults = paths.flatMap((path) => actions[action](path, readFileSync(path, 'utf8')))
faults.forEach((fault) => console.error(fault))
console.log(`${paths.length} files, ${faults.length} faults`)
process.exitCode = faults.length > 0 || paths.length === 0 ? 1 : 0
