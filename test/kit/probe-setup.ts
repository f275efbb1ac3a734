import { appendFileSync } from 'node:fs'
import { afterAll, expect } from 'vitest'

// Setup file for `scripts/mutants.js`: notes which test files reach which places of the sources.
declare global {
  var probe: (place: number) => void
}

const reached = new Set<number>()
globalThis.probe = (place) => {
  reached.add(place)
}

afterAll(() => {
  const { testPath } = expect.getState()
  const file = process.env.ACCORD_PROBES
  if (file) appendFileSync(file, `${JSON.stringify({ test: testPath, places: [...reached] })}\n`)
})
