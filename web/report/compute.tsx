/** Take the place of `components/compute.tsx` and `app/jobs.ts` in a report, from which nothing is computed. */
export function ComputeButton() {
  return null
}

export const WorkButton = ComputeButton

/** No button calls it. */
export function startJob(): never {
  throw new Error('nothing is computed from a report')
}
