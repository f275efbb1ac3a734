/** The time that a request computes. */
export interface OwnTime {
  /** Waits for something that is not part of it: another thread, or a turn that others have. */
  without<T>(work: Promise<T>): Promise<T>
  /** Whether it is longer than so many milliseconds; false while the request waits. */
  exceeds(milliseconds: number): boolean
}

/** The last look at the CPU time, which takes as long as small requests: periods that begin in a millisecond share it. */
let shared: { readonly millisecond: number; readonly usage: NodeJS.CpuUsage } | undefined

/** The CPU time of this process at a time, or at most a millisecond before. */
function cpuUsageAt(time: number): NodeJS.CpuUsage {
  const millisecond = Math.floor(time)
  if (shared?.millisecond !== millisecond) shared = { millisecond, usage: process.cpuUsage() }
  return shared.usage
}

/**
 * Starts now. Of each period between two waits the wall time counts, but at most the CPU time of this process: a machine that is
 * busy with other processes makes a request slower, not longer.
 */
export function createOwnTime(): OwnTime {
  /** Milliseconds of the periods that have ended. */
  let ended = 0
  let waitCount = 0
  let start = performance.now()
  let cpuStart = cpuUsageAt(start)

  function current(): number {
    const { user, system } = process.cpuUsage(cpuStart)
    return Math.min(performance.now() - start, (user + system) / 1000)
  }

  return {
    async without(work) {
      if (waitCount++ === 0) ended += current()
      try {
        return await work
      } finally {
        if (--waitCount === 0) {
          start = performance.now()
          cpuStart = cpuUsageAt(start)
        }
      }
    },
    exceeds(milliseconds) {
      // The time of the process is asked for only where the wall time is too long.
      return (
        waitCount === 0 &&
        ended + performance.now() - start > milliseconds &&
        ended + current() > milliseconds
      )
    },
  }
}
