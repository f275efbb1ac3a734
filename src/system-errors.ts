import { existsSync, readdirSync } from 'node:fs'
import { getSystemErrorMap } from 'node:util'
import { nearNames } from './shared/near-names.js'

/** What the operating system refused, in words: `no such file or directory`. */
export function describeSystemError(error: unknown): string {
  const { errno, code } = error as NodeJS.ErrnoException
  const [, words] = (errno !== undefined && getSystemErrorMap().get(errno)) || []
  return words ?? code ?? String(error)
}

/** The path in the same folder whose file or folder was probably meant; undefined without one. */
export function nearestFile(path: string): string | undefined {
  const folder = path.replace(/[^\\/]+$/, '')
  const names = existsSync(folder || '.') ? readdirSync(folder || '.') : []
  const wanted = path.slice(folder.length)
  const near = names.filter((name) => nearNames(stemOf(wanted), [stemOf(name)]).length > 0)
  const [nearest = near.at(0)] = nearNames(wanted, near)
  return nearest === undefined ? undefined : folder + nearest
}

/** Equal extensions make no names alike. */
const stemOf = (name: string) => name.replace(/(?<=.)\..*$/, '')
