import type { Reporter, TestCase } from 'vitest/node'

/** Prints at the end of a run the tests that passed only on retry, with the error of their first attempt. */
export class FlakyReporter implements Reporter {
  readonly #flaky: TestCase[] = []

  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky) this.#flaky.push(test)
  }

  onTestRunEnd(): void {
    if (this.#flaky.length === 0) return
    console.log(`FLAKY, passed only on retry: ${this.#flaky.length}`)
    for (const test of this.#flaky) {
      const [error] = test.result().errors ?? []
      console.log(`  ${test.module.relativeModuleId} > ${test.fullName}`)
      console.log(`${error?.stack ?? error?.message}`.replaceAll(/^/gm, '    '))
    }
  }
}
