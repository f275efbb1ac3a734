import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import { AccordError } from '../../src/errors.js'
import { fromThread } from '../../src/queue/run-job.js'

const ERRORS = new URL('../../dist/src/errors.js', import.meta.url).href

/** The error that a thread throws. */
async function thrownBy(code: string): Promise<unknown> {
  const worker = new Worker(`import(${JSON.stringify(ERRORS)}).then(({ AccordError }) => { ${code} })`, {
    eval: true,
  })
  const [error] = await once(worker, 'error').catch((thrown) => [thrown])
  return error
}

describe('fromThread', () => {
  it('restores an expected failure of another thread', async () => {
    const detail = { source: 'a.sqlite', expected: 'a file', found: 'nothing' }
    const error = fromThread(
      await thrownBy(`throw new AccordError('BUSY', 'cannot be read', ${JSON.stringify(detail)})`),
    )
    expect(error).toBeInstanceOf(AccordError)
    expect(error).toMatchObject({
      code: 'BUSY',
      summary: 'cannot be read',
      detail,
      message: 'a.sqlite: cannot be read: expected a file, found nothing',
    })
  })

  it.each(['throw new TypeError("a bug")', 'throw "a bug"'])('does not change a bug: %s', async (code) => {
    const thrown = await thrownBy(code)
    expect(fromThread(thrown)).toBe(thrown)
    expect(String(thrown)).toContain('a bug')
  })
})
