import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'

/** A folder of temporary files that only the user can read. */
export interface TemporaryFolder {
  readonly path: string
  remove(): void
}

/** The folders of this process. */
const folders = new Set<string>()

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/**
 * Creates a folder that is removed by `remove`, or when SIGINT or SIGTERM ends the process. What a process left that was killed
 * otherwise is removed when the next folder of the same name is created on this machine. For the main thread: signals do not
 * reach others.
 *
 * @param name path to which a unique ending is added
 */
export function createTemporaryFolder(name: string): TemporaryFolder {
  const prefix = `${name}-${hostname()}-`
  removeAbandoned(prefix)
  // Before the folder exists: a signal would end the process and leave it.
  if (folders.size === 0) for (const signal of SIGNALS) process.on(signal, removeAll)
  const path = mkdtempSync(`${prefix}${process.pid}-`)
  folders.add(path)
  return {
    path,
    remove() {
      rmSync(path, { recursive: true, force: true })
      folders.delete(path)
      if (folders.size === 0) for (const signal of SIGNALS) process.off(signal, removeAll)
    },
  }
}

/** Removes all folders. If nothing else handles the signal, the process ends by it, as without a handler. */
function removeAll(signal: NodeJS.Signals): void {
  for (const path of folders) rmSync(path, { recursive: true, force: true })
  if (process.listenerCount(signal) > 1) return
  process.off(signal, removeAll)
  process.kill(process.pid, signal)
}

/** Removes folders of processes that have ended. */
function removeAbandoned(prefix: string): void {
  const [parent, start] = [dirname(prefix), basename(prefix)]
  try {
    for (const name of readdirSync(parent)) {
      const [, pid] = (name.startsWith(start) && /^(\d+)-\w{6}$/.exec(name.slice(start.length))) || []
      if (pid !== undefined && !isRunning(Number(pid)))
        rmSync(join(parent, name), { recursive: true, force: true })
    }
  } catch {
    // A folder that cannot be listed, or what another user left.
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // A process of another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
