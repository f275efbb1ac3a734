import { useEffect } from 'preact/hooks'
import type { JobStatus } from '../generated/documents'
import type { Answer } from './client'

/** Time between two looks at what has not ended. */
const LOOK_MS = 2000

export const isUnfinished = ({ status }: { readonly status: JobStatus }): boolean =>
  status === 'QUEUED' || status === 'RUNNING'

/** Asks again and again as long as something has not ended. */
export function useLookAgain({ data, isLoading, reload }: Answer<unknown>, isWaiting: boolean): void {
  useEffect(() => {
    if (!isWaiting || isLoading) return
    const timer = setTimeout(reload, LOOK_MS)
    return () => clearTimeout(timer)
  }, [isWaiting, data, isLoading])
}
