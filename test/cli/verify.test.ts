import { spawnSync } from 'node:child_process'
import { beforeAll, describe, expect, it } from 'vitest'
import { projectFile } from '../../src/project.js'
import { workbench } from './kit.js'

const GOLDEN = 'test/golden/data'
const python = (script: string, input: string, ...options: string[]) =>
  spawnSync('python3', [...options, projectFile(script)], { input, encoding: 'utf8', maxBuffer: 2 ** 28 })
const hasPython = spawnSync('python3', ['--version']).status === 0

const RATED = [1, 2, 3].map((image) => ({
  image_id: image,
  captions: [
    { caption: 'A dog runs.', ratings: [image, 2] },
    { caption: 'Two people sit on a bench.', ratings: [4 - image] },
  ],
}))

describe('accord verify', () => {
  const { run, write } = workbench()

  beforeAll(async () => {
    const data = (name: string) => projectFile(`${GOLDEN}/${name}`)
    await run(['import', 'captions', data('captions.json'), '--dataset', 'golden'])
    for (const system of ['strong', 'weak']) {
      await run(['import', 'results', data(`${system}.json`), '--dataset', 'golden', '--system', system])
    }
    await run(['import', 'scores', data('detector.jsonl'), '--dataset', 'golden', '--system', 'detector'])
    write('rated.jsonl', RATED.map((record) => JSON.stringify(record)).join('\n'))
    await run('import judgements rated.jsonl --dataset golden')
    await run('evaluate --dataset golden --system strong weak --metrics BLEU ROUGE-L CIDEr CIDEr-D METEOR')
  })

  it('writes what figures are computed from', async () => {
    const lines = (await run('verify words --dataset golden')).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines[0]).toMatchObject({ section: 'words', references: 4 })
    expect(lines[1]).toEqual({
      word: expect.any(String),
      histogram: expect.any(Array),
      precision: expect.any(Number),
      recall: expect.any(Number),
    })
    const { code, stderr } = await run('verify metrics/mine --dataset golden')
    expect(code).toBe(2)
    expect(stderr).toContain(
      'figure: no such figures: expected one of metrics/strong, metrics/weak, words, phr/detector, judgements, or one of them with /METRIC or /WORD, found "metrics/mine"',
    )
  })

  it.skipIf(!hasPython)('agrees with figures that a program in Python computes', async () => {
    const { stdout: lines } = await run('verify --dataset golden')
    const { stdout, status, stderr } = python('docs/verify.py', lines)
    expect(stderr).toBe('')
    expect(stdout).toMatch(
      /^not in these lines: intervals and p-values; [^\n]+\nnot computed here: [^\n]*METEOR[^\n]*\n\d{3,} figures agree, 0 differ\n$/,
    )
    expect(status).toBe(0)
  })

  it.skipIf(!hasPython).each([
    ['metrics/strong/cider_d', 1],
    ['metrics/strong/BLEU-4', 1],
    ['words/dog', 2],
    ['phr/detector/dog', 1],
    ['judgements/ROUGE-L', 4],
  ])('one figure is computed again: %s', async (figure, count) => {
    const { stdout: lines } = await run(`verify ${figure} --dataset golden`)
    const { stdout, status } = python('docs/verify.py', lines)
    expect([stdout, status]).toEqual([`${count} figures agree, 0 differ\n`, 0])
  })

  it.skipIf(!hasPython)('accuracies on preferences are computed again', async () => {
    const preferences = [0, 1, 0, 1].map((preferred, image) => ({
      image_id: image,
      references: ['A dog runs.', 'The dog is running.'],
      captions: [['A dog runs.', 'A dog.', 'A cat.', 'A cat.'][image], 'The dog sits.'],
      preferred,
      category: image < 3 ? 'HM' : 'MM',
    }))
    write('preferred.jsonl', preferences.map((record) => JSON.stringify(record)).join('\n'))
    await run('import judgements preferred.jsonl --dataset preferred')
    const { stdout: lines } = await run('verify judgements/ROUGE-L --dataset preferred')
    const { stdout, status } = python('docs/verify.py', lines)
    expect([stdout, status]).toEqual(['3 figures agree, 0 differ\n', 0])
  })

  it('an unknown figure is refused', async () => {
    for (const figure of ['words/unheard', 'metrics/strong/SPICE']) {
      const { code, stdout, stderr } = await run(`verify ${figure} --dataset golden`)
      expect([code, stdout]).toEqual([2, ''])
      expect(stderr).toContain('figure: no such figures: expected a metric or a word with a stored figure')
    }
  })

  it.skipIf(!hasPython)('a figure that was changed differs', async () => {
    const { stdout: lines } = await run('verify metrics/strong --dataset golden')
    const changed = lines.replace(
      /("metric":"CIDEr-D","value":)([\d.]+)/,
      (_, start, value) => `${start}${+value + 1e-6}`,
    )
    expect(changed).not.toBe(lines)
    const { stdout, status } = python('docs/verify.py', changed)
    expect(stdout).toMatch(/^metrics\/strong: CIDEr-D: stored [\d.]+, computed [\d.]+\n/)
    expect(stdout).toContain('6 figures agree, 1 differ')
    expect(status).toBe(1)
  })
})
