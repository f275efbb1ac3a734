import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { createRandom } from '../../src/core/stats/random.js'
import { isSlow } from '../kit/slow.js'
import { importPark, PARK_RESULTS, runHere, workbench } from './kit.js'

/** Bits of the database that are changed, one at a time; each command that reads it runs on each of them. */
const TRIALS = isSlow ? 400 : 3

const COMMANDS = [
  'words --dataset park --format json',
  'agreement --dataset park --format json',
  'leaderboard --dataset park --metrics BLEU-4 CIDEr METEOR --format json',
  'compare --dataset park --people --system captioner other --format json',
  'export captions --dataset park',
  'export results --dataset park --system captioner',
  'export scores --dataset park',
]

const bench = workbench()
const { folder, path, write } = bench

/** In this process, also in the slow suite: there are thousands of them. */
const run = (command: string) => runHere(command, {}, folder)

/** The output of each command on an intact database. */
const expected = new Map<string, string>()

beforeAll(async () => {
  await importPark(bench, 'with systems')
  write(
    'other.json',
    PARK_RESULTS.map((result: object) => ({ ...result, caption: 'A dog and a cat.' })),
  )
  for (const command of [
    'import results other.json --dataset park --system other',
    'evaluate --dataset park',
    'agreement --dataset park',
    ...COMMANDS,
  ]) {
    const { code, stdout, stderr } = await run(command)
    expect({ code, stderr }).toMatchObject({ code: 0 })
    expected.set(command, stdout)
  }
})

describe('a bit of the database that was changed', () => {
  it('gives no other figures, or one error', async () => {
    const content = readFileSync(path('accord.sqlite'))
    const random = createRandom(11)
    for (let trial = 0; trial < TRIALS; trial++) {
      const flipped = Buffer.from(content)
      let place = 0
      // Most of a small file is empty.
      while (place < 100 || content[place] === 0) place = random.below(content.length)
      flipped[place] ^= 1 << random.below(8)
      for (const command of COMMANDS) {
        writeFileSync(path('flipped.sqlite'), flipped)
        for (const suffix of ['-wal', '-shm']) rmSync(path(`flipped.sqlite${suffix}`), { force: true })
        const { code, stdout, stderr } = await run(`${command} --database flipped.sqlite`)
        const what = `byte ${place}: ${command}: ${stderr}`
        expect(stderr, what).not.toMatch(/internal error/)
        // A row that a damaged index does not find is missing; every figure that is printed is a right one.
        if (code === 0)
          expect(numbersIn(expected.get(command) as string), what).toEqual(
            expect.arrayContaining(numbersIn(stdout)),
          )
        else
          expect(
            stderr.split('\n').filter((line) => line.startsWith('accord: ')),
            what,
          ).toHaveLength(1)
      }
    }
  })
})

const numbersIn = (text: string): string[] => [...new Set(text.match(/-?\d+(\.\d+)?(e-?\d+)?/g))]
