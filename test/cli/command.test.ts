import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { AccordCommand } from '../../src/cli/command.js'
import { failBelowOption, failuresBelow } from '../../src/cli/gates.js'
import { metricsOption, partOfSpeechOption } from '../../src/cli/options.js'
import { FRACTIONS } from '../../src/cli/output/formats.js'
import { textOfSentence } from '../../src/cli/output/report.js'
import { openMetricRegistry } from '../../src/compute/resources.js'
import { collectList, parseText } from '../../src/config.js'
import { cocoCaptions, cocoResults } from '../kit/coco.js'
import { workbench } from './kit.js'

/** What a command understands. @param args names of its arguments */
function parse(line: string, args = '<references> [results...]') {
  const program = new AccordCommand('accord').exitOverride()
  const command = program
    .command('score')
    .arguments(args)
    .addOption(metricsOption('all'))
    .addOption(partOfSpeechOption())
    .addOption(failBelowOption())
    .option('--system <name...>', '', collectList(parseText))
    .option('--percent')
    .action(() => {})
  program.parse(['score', ...line.split(' ')], { from: 'user' })
  return { ...command.opts(), args: command.args }
}

describe('a list of an option', () => {
  it.each([
    ['--metrics METEOR,CIDEr-D'],
    ['--metrics METEOR --metric CIDEr-D'],
    ['--metrics METEOR CIDEr-D'],
    ['--metrics=METEOR,CIDEr-D'],
  ])('%s stands before, between and after files', (metrics) => {
    const expected = { metrics: ['METEOR', 'CIDEr-D'], percent: true, args: ['a.json', 'b.json'] }
    for (const line of [
      `${metrics} a.json b.json --percent`,
      `a.json ${metrics} b.json --percent`,
      `a.json b.json --percent ${metrics}`,
    ]) {
      expect(parse(line)).toEqual(expected)
    }
  })

  it('ends at a file, at what the option refuses, and where arguments are missing', () => {
    expect(parse('--metrics METEOR -')).toMatchObject({ metrics: ['METEOR'], args: ['-'] })
    expect(parse('--metrics METEOR ./a b.gz')).toMatchObject({ metrics: ['METEOR'], args: ['./a', 'b.gz'] })
    expect(parse('--part-of-speech NN VB refs')).toMatchObject({ partOfSpeech: ['NN', 'VB'], args: ['refs'] })
    expect(parse('--fail-below BLEU=.2 METEOR=.3 refs')).toMatchObject({
      failBelow: [
        { metric: 'BLEU', score: 0.2 },
        { metric: 'METEOR', score: 0.3 },
      ],
      args: ['refs'],
    })
    for (const line of [
      '--system mine theirs 139',
      '139 --system mine theirs',
      '--percent 139 --system mine theirs',
    ])
      expect(parse(line, '<image>')).toMatchObject({ system: ['mine', 'theirs'], args: ['139'] })
    expect(parse('--system mine theirs -- 139', '<image>')).toMatchObject({
      system: ['mine', 'theirs'],
      args: ['139'],
    })
  })

  it('ends at a file whose name has no extension', () => {
    const folder = mkdtempSync(join(tmpdir(), 'accord-lists-'))
    const before = process.cwd()
    afterAll(() => rmSync(folder, { recursive: true }))
    process.chdir(folder)
    try {
      writeFileSync('refs', '')
      expect(parse('--metrics METEOR refs mine')).toMatchObject({
        metrics: ['METEOR'],
        args: ['refs', 'mine'],
      })
    } finally {
      process.chdir(before)
    }
  })

  it('has names with commas after a backslash', () => {
    expect(parse('a.json --system a\\,b,c')).toMatchObject({ system: ['a,b', 'c'] })
  })
})

describe('a group of metrics', () => {
  it('has all metrics of its name; SPICE alone is one', () => {
    const { resolve } = openMetricRegistry()
    expect(resolve(['bleu'])).toEqual(['BLEU-1', 'BLEU-2', 'BLEU-3', 'BLEU-4'])
    expect(resolve(['SPICE'])).toEqual(['SPICE'])
    expect(resolve(['spice-all'])).toEqual([
      'SPICE',
      ...['object', 'attribute', 'relation', 'color', 'count', 'size'].map((kind) => `SPICE-${kind}`),
    ])
  })

  it('is gated by each of its metrics', async () => {
    const scores = ['BLEU-1', 'BLEU-4', 'METEOR'].map((metric, index) => ({
      system: 'mine',
      metric,
      higherIsBetter: true,
      value: 0.1 * (index + 1),
    }))
    const failures = await failuresBelow([{ metric: 'bleu', score: 0.15 }], scores)
    expect(failures.map((failure) => textOfSentence(failure, FRACTIONS))).toEqual([
      'mine has BLEU-1 .100, below .150',
    ])
  })

  it('is named by commands that read files', async () => {
    const { run, write } = workbench()
    write(
      'references.json',
      cocoCaptions({ 1: ['A dog runs.', 'The dog plays.'], 2: ['A cat.', 'A cat sleeps.'] }),
    )
    write('mine.json', cocoResults({ 1: 'A dog runs.', 2: 'A cat.' }))
    const line = '--metrics BLEU METEOR --format json references.json'
    for (const command of [
      `score ${line} mine.json`,
      `compare --people ${line} mine.json`,
      `agreement ${line}`,
    ]) {
      const { code, stdout, stderr } = await run(command)
      expect({ command, code, stderr: code === 0 ? '' : stderr }).toEqual({ command, code: 0, stderr: '' })
      const { scores, comparisons } = JSON.parse(stdout)
      const metrics = (scores ?? comparisons).map(({ metric }: { metric: string }) => metric)
      expect([...new Set(metrics)]).toEqual(['BLEU-1', 'BLEU-2', 'BLEU-3', 'BLEU-4', 'METEOR'])
    }
  })
})
