import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { buildSync } from 'esbuild'
import { beforeAll, expect, it } from 'vitest'
import { projectFile } from '../../src/project.js'
import type { Work } from '../kit/long-captions.js'

/** How the work grows as captions of 5,000 tokens become twice as long. */
const growths = new Map<string, number>()

beforeAll(async () => {
  const { outputFiles } = buildSync({
    entryPoints: [projectFile('test/kit/long-captions.ts')],
    bundle: true,
    format: 'esm',
    platform: 'node',
    write: false,
  })
  // Only code that is compiled after counting begins is counted: a thread compiles it anew.
  const code = new URL(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`)
  const [counts] = await once(new Worker(code, { workerData: [5000, 10_000] }), 'message')
  for (const [name, [short, long]] of Object.entries<readonly [number, number]>(counts)) {
    if (short > 5000) growths.set(name, long / short)
  }
})

/** Twice, and a little more for what depends on chance. */
const LINEAR = 2.1

it.each<Work>([
  'BLEU',
  'ROUGE-N',
  'ROUGE-S',
  'CIDEr',
  'coverage',
  'what they say beside people',
  'how varied they are',
])('captions of 10,000 tokens are twice the work of captions of 5,000: %s', (work) => {
  expect(growths.get(work)).toBeGreaterThan(1.5)
  expect(growths.get(work)).toBeLessThan(LINEAR)
})

it('by ROUGE-L the work grows with the product of two lengths', () => {
  const work: Work = 'ROUGE-L'
  expect(growths.get(work)).toBeLessThan(2 * LINEAR)
})
