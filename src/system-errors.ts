import { getSystemErrorMap } from 'node:util'

/** What the operating system refused, in words: `no such file or directory`. */
export function describeSystemError(error: unknown): string {
  const { errno, code } = error as NodeJS.ErrnoException
  const [, words] = (errno !== undefined && getSystemErrorMap().get(errno)) || []
  return words ?? code ?? String(error)
}
