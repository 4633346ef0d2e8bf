import { CancellationError, window } from 'vscode'
import { LSPErrorCodes, ResponseError } from 'vscode-languageclient/node'
import { ShownError } from './server.js'

/** Show a failure once; what the user has seen or asked for is passed over. */
export function showFailure(error: unknown): void {
  if (error instanceof ShownError || error instanceof CancellationError || cancelled(error)) {
    return
  }
  void window.showErrorMessage(error instanceof Error ? error.message : String(error))
}

function cancelled(error: unknown): boolean {
  return error instanceof ResponseError && error.code === LSPErrorCodes.RequestCancelled
}
