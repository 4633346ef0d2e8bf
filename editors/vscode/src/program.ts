import { access, constants } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'

/** Whether a program can be started: an absolute path, or a name on `PATH`. */
export async function canRun(program: string): Promise<boolean> {
  const checks = places(program).map((path) =>
    access(path, constants.X_OK).then(
      () => true,
      () => false,
    ),
  )
  return (await Promise.all(checks)).includes(true)
}

function places(program: string): string[] {
  const names =
    process.platform === 'win32'
      ? [program, ...(process.env['PATHEXT'] ?? '.EXE').split(';').map((end) => program + end)]
      : [program]
  if (isAbsolute(program)) {
    return names
  }
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  return folders.flatMap((folder) => names.map((name) => join(folder, name)))
}
