/** Take the place of `components/compute.tsx`, `app/jobs.ts` and `app/may-change.ts` in a report, from which nothing is computed. */
export function ComputeButton() {
  return null
}

export const WorkButton = ComputeButton
export const StageBar = ComputeButton

/** No button calls it. */
export function startJob(): never {
  throw new Error('nothing is computed from a report')
}

export const useMayChange = () => false
