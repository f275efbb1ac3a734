import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/**
 * Runs in a server: between two turns of its event loop, other requests wait. On SIGUSR2 it writes what it computed since the
 * last one to stderr. Other processes on the machine do not change it. Linux alone tells the CPU time of a thread.
 */
export const TURNS = `data:text/javascript,${encodeURIComponent(`
  import { readFileSync } from 'node:fs'
  import { isMainThread } from 'node:worker_threads'
  if (isMainThread) {
    const file = '/proc/self/task/' + process.pid + '/schedstat'
    const computed = () => Number(readFileSync(file, 'latin1').split(' ')[0]) / 1e6
    let [last, longest, sum] = [computed(), 0, 0]
    const turn = () => {
      const now = computed()
      longest = Math.max(longest, now - last)
      sum += now - last
      last = now
      setTimeout(turn, 1).unref()
    }
    turn()
    process.on('SIGUSR2', () => {
      process.stderr.write(JSON.stringify({ longest, sum }) + '\\n')
      longest = sum = 0
    })
  }
`)}`

/** CPU time of the thread that answers requests, in milliseconds. */
export interface Computed {
  /** Of the longest turn of its event loop. */
  readonly longest: number
  readonly sum: number
}

/** What a server with {@link TURNS} computed since the last call. */
export async function computedBy(server: ChildProcess): Promise<Computed> {
  const line = once(server.stderr!, 'data')
  server.kill('SIGUSR2')
  return JSON.parse(String(await line))
}
