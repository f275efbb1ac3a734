import { onTestFinished, TestRunner } from 'vitest'

type Cleanup = () => Promise<void>

const cleanups: Cleanup[] = []

/**
 * Runs `cleanup` after the current test; outside tests, as in `beforeAll` and while a file is collected, after all
 * tests of the file. (Hooks of vitest that are registered within hooks are ignored.)
 */
export function atEnd(cleanup: Cleanup): void {
  if (TestRunner.getCurrentTest()) onTestFinished(cleanup)
  else cleanups.push(cleanup)
}

/** Runs the cleanups of the file, last registered first. */
export async function runCleanups(): Promise<void> {
  for (let cleanup = cleanups.pop(); cleanup; cleanup = cleanups.pop()) await cleanup()
}
