import { spawnSync } from 'node:child_process'
import { describe, expect, it, test } from 'vitest'
import { scoreByProgram } from '../../../src/services/external/score-captions.js'
import { temporaryFolder } from '../../formats/kit.js'

const { write } = temporaryFolder()
const hasPython = spawnSync('python3', ['--version']).status === 0

const INPUTS = ['a dog', 'a cat sleeps', 'birds'].map((caption, index) => ({
  image_id: String(index + 1),
  image: `${index}.jpg`,
  caption,
  references: ['a dog runs'],
}))
const LENGTHS = Float64Array.of(5, 12, 5)

function score(command: string, silence = 60_000) {
  return scoreByProgram(INPUTS, { command, silence, range: { lowest: 0, highest: 100 }, progress: () => {} })
}

/** A program of Node that has all lines of its stdin as `inputs`. */
function node(body: string): string {
  const file = write(
    `program-${Math.abs([...body].reduce((hash, letter) => (31 * hash + letter.charCodeAt(0)) | 0, 7))}.mjs`,
    `import { readFileSync } from 'node:fs'
     const inputs = readFileSync(0, 'utf8').trim().split('\\n').map((line) => JSON.parse(line))
     const print = (value) => console.log(JSON.stringify(value))
     ${body}`,
  )
  return `"${process.execPath}" "${file}"`
}

it.skipIf(!hasPython)('scores captions by a program in Python', async () => {
  const file = write(
    'length.py',
    'import json, sys\nfor line in sys.stdin:\n    item = json.loads(line)\n' +
      '    print(json.dumps({"image_id": item["image_id"], "score": len(item["caption"])}))\n',
  )
  expect(await score(`python3 "${file}"`)).toEqual(LENGTHS)
})

it('scores captions by a program in Node', async () => {
  expect(await score(node('for (const { caption } of inputs) print({ score: caption.length })'))).toEqual(
    LENGTHS,
  )
})

describe('a program fails', () => {
  test.each([
    ['with too few scores', 'print({ score: 1 })', 'the program wrote too little: expected 3 lines, found 1'],
    [
      'with too many scores',
      'for (let i = 0; i < 4; i++) print({ score: 1 })',
      'the program wrote too much: expected 3 lines, found more lines',
    ],
    [
      'with endless output',
      'for (;;) print({ score: 1 })',
      'the program wrote too much: expected 3 lines, found more lines',
    ],
    [
      'with an endless line',
      "const more = () => process.stdout.write('1'.repeat(1e5), more); more()",
      'the line is too long',
    ],
    [
      'in another order',
      'for (const { image_id } of inputs.reverse()) print({ image_id, score: 1 })',
      'line 1: wrong order: expected the score of image "1", found "3"',
    ],
    [
      'with NaN',
      'console.log(\'{"score": NaN}\')',
      'line 1: invalid JSON: expected {"score": number}, found',
    ],
    [
      'with null',
      'print({ score: 2 }); print({ score: null })',
      'line 2: no score: expected {"score": number}, found',
    ],
    [
      'with a score outside the range',
      'print({ score: 101 })',
      'line 1: invalid score: expected a number from 0 to 100, the range of the metric, found 101',
    ],
    [
      'with an exit code',
      'print({ score: 1 }); process.exitCode = 3',
      'after 1 score: the program failed: expected exit code 0, found exit code 3',
    ],
  ])('%s', async (_, body, message) => {
    await expect(score(node(body))).rejects.toThrow(message)
  })

  test('by silence for longer than the limit', async () => {
    await expect(score(node('setInterval(() => {}, 1000)'), 300)).rejects.toMatchObject({
      code: 'TIMEOUT',
      message: expect.stringContaining(
        'the program is silent: expected a score within 0.3 s, found none after 0 scores',
      ),
    })
  })

  test('where it does not exist', async () => {
    await expect(score('no-such-program-of-ours')).rejects.toThrow(
      'expected exit code 0, found exit code 127',
    )
  })
})
