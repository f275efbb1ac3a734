import { execFileSync, spawn } from 'node:child_process'
import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { render } from '../../src/cli/output/output.js'
import { checkOutput, writeText } from '../../src/cli/output/output-file.js'
import { toJson } from '../../src/cli/output/report.js'
import { evaluationReport, imageScoreReport } from '../../src/cli/reports/evaluation-report.js'
import { reportAgreement } from '../../src/services/agreement/agreement.js'
import type { EvaluationOptions } from '../../src/services/evaluations/start-evaluation.js'
import { openAccord } from '../../src/services/open-accord.js'
import {
  type EvaluationReport,
  evaluateFairly,
  type FairEvaluation,
} from '../../src/services/scoring/evaluate.js'
import { sql } from '../../src/store/engine/sql.js'
import { readScores } from '../../src/store/scores.js'
import { failureOf } from '../formats/kit.js'
import * as kit from '../kit/scenes.js'
import { initWorld, type Json, type SeededDataset } from '../kit/seed.js'
import { ALL_METRICS, directScores, METRICS, systemOf } from '../services/evaluations/caption-metrics.js'
import { outcomeOf, textOf, workbench } from './kit.js'

const { folder, path, run: runIn, start: startIn, write } = workbench()
const world = await initWorld()
const { accord, database, location } = world
const environment = { ACCORD_DATABASE: location }
const run = (command: string) => runIn(`evaluate ${command}`, environment)

/** An id that CSV quotes, and an image with fewer captions. */
const { d: ofDog, ...others } = kit.HUMAN
const HUMAN = { 'd,1': ofDog, ...others, c: others.c.slice(0, 2) }
const { d: guessOfDog, ...otherGuesses } = kit.GUESS
const GUESS = { 'd,1': guessOfDog, ...otherGuesses }

async function evaluate(options: EvaluationOptions, meteorFolder?: string): Promise<FairEvaluation> {
  const own = await openAccord({ location, meteorFolder, threadCount: 1 })
  try {
    return await evaluateFairly(own, options)
  } finally {
    await own.close()
  }
}

const saidBesides = (stderr: string) => stderr.split('\n').filter((line) => line !== '')

let scenes: SeededDataset

beforeAll(async () => {
  scenes = await world.dataset('scenes', { images: { ...HUMAN, nobody: [] } })
  for (const name of ['guesser', 'again', 'twice', 'stopped', 'refused']) {
    await scenes.captionSystem(name, GUESS)
  }
  await scenes.captionSystem('lazy', { b: GUESS.b, a: GUESS.a, nobody: 'A street.' })
  await scenes.scoreSystem('detector', { b: { bench: 0.5 } })
  const single = await world.dataset('single', { images: { x: ['A dog.'], y: ['A cat.'] } })
  await single.captionSystem('guesser', { x: 'A dog.', y: 'A dog.' })
  const one = await world.dataset('one', { images: { x: ['A dog.', 'The dog.'] } })
  await one.captionSystem('guesser', { x: 'A dog.' })
  const measured = await world.dataset('measured', { images: kit.repeated(HUMAN, 4) })
  await measured.captionSystem('guesser', kit.repeated(GUESS, 4))
  await measured.captionSystem('lazy', { b0: GUESS.b, a0: GUESS.a })
  await reportAgreement(accord, { dataset: 'measured' })
})

/** Number of the scores with the built-in document frequencies: of CIDEr and CIDEr-D. */
const BESIDE_BUILT_IN = 2

const NO_LENGTHS = { references: null, systems: [], metrics: [] }

describe('evaluate as JSON', () => {
  it('has every score of the system, unrounded, and writes the image scores', async () => {
    const { code, stdout, stderr } = await run(
      '--dataset scenes --system guesser --format json --per-image scores.csv',
    )
    expect({ code, besides: saidBesides(stderr) }).toEqual({ code: 0, besides: [] })
    const { scores, ...about } = JSON.parse(stdout)
    expect(about).toEqual({
      dataset: 'scenes',
      notes: [
        'ROUGE-N is recall only: longer captions score higher, whatever else they say.',
        expect.stringMatching(/^Document frequencies of 4 images: CIDEr.*`coco`/),
        'Fewer than 10 images: no interval and no test is reliable.',
      ],
    })
    const expected = directScores(GUESS, HUMAN)
    const all = await readScores(database, [(await systemOf(database, scenes, 'guesser')).id])
    const builtIn = all.filter(({ signature }) => signature.includes('|df:coco-'))
    expect(builtIn.map(({ metric }) => metric)).toEqual(['CIDEr', 'CIDEr-D'])
    const besideOf = (name: string) => {
      const score = builtIn.find(({ metric }) => metric === name)
      return score ? { value: score.value, interval: null, signature: score.signature, human: null } : null
    }
    const stored = all.filter((score) => !builtIn.includes(score))
    expect(scores).toEqual(
      stored.map(({ metric, value, folds, signature }) => ({
        metric,
        system: 'guesser',
        references: { least: 2, most: 3, folds: null },
        imageCount: 4,
        missingImageCount: 0,
        value,
        interval: null,
        undefinedReason: 'TOO_FEW_IMAGES',
        isSmall: false,
        signature,
        warnings: [],
        folds,
        human: null,
        coco: besideOf(metric),
      })),
    )
    expect(scores.map(({ metric }: Json) => metric)).toEqual(METRICS)
    for (const { metric, value, signature } of scores) {
      expect(value).toBeCloseTo(expected.corpus[metric], 12)
      expect(signature).toMatch(new RegExp(`^${metric}\\|.*refs:2-3\\|images:4\\|tok:ptb-3\\.4\\.1\\|`))
    }

    const rows: Record<string, string>[] = parse(readFileSync(path('scores.csv')), { columns: true })
    const signatures = METRICS.map((metric) => `${metric}.signature`)
    expect(Object.keys(rows[0])).toEqual(['system', 'imageId', ...METRICS, ...signatures])
    expect(rows.map(({ imageId }) => imageId)).toEqual(Object.keys(HUMAN))
    for (const { imageId: id, system, ...cells } of rows) {
      expect(system).toBe('guesser')
      for (const metric of METRICS) {
        const cell = cells[metric]
        expect(cells[`${metric}.signature`]).toMatch(`${metric}|`)
        expect(Number(cell), `${id}, ${metric}`).toBeCloseTo(expected.images[id][metric], 12)
      }
    }
  })

  it('has people only beside scores on the same folds of references', async () => {
    const rows = await scoresOf('measured', { metrics: ['BLEU-1', 'CIDEr-D'] })
    expect(rows.slice(0, 2)).toMatchObject([
      { metric: 'BLEU-1', human: null, folds: null },
      { metric: 'CIDEr-D', human: null, folds: null },
    ])
    // Image c has two captions, and K is 3.
    const [bleu, cider] = rows.slice(2)
    for (const row of [bleu, cider]) {
      expect(row).toMatchObject({ references: { least: 2, most: 2, folds: 3 }, imageCount: 12 })
    }
    const ends = { lower: expect.any(Number), upper: expect.any(Number) }
    expect(bleu.human).toEqual({
      references: 2,
      mean: expect.any(Number),
      interval: ends,
      undefinedReason: null,
      isSmall: true,
    })
    expect(cider.human).toMatchObject({ interval: null, undefinedReason: 'OWN_DOCUMENTS', isSmall: true })
    for (const { metric, value, interval, undefinedReason } of rows) {
      expect(undefinedReason).toBe(metric === 'CIDEr-D' ? 'OWN_DOCUMENTS' : null)
      if (interval === null) continue
      expect(interval.lower).toBeLessThan(value)
      expect(interval.upper).toBeGreaterThan(value)
    }
    expect(bleu.human.interval.lower).toBeLessThan(bleu.human.mean)
    expect(cider.human.references).toBe(2)
    expect(bleu.folds).toHaveLength(3)
    expect(bleu.value).toBeCloseTo((bleu.folds[0] + bleu.folds[1] + bleu.folds[2]) / 3, 12)

    expect(await scoresOf('measured', { metrics: ['BLEU-1'], references: 2 })).toEqual([bleu])
    const [single] = await scoresOf('measured', { metrics: ['BLEU-1'], references: 1 })
    expect(single).toMatchObject({ human: null, signature: expect.stringContaining('|refs:1|folds:3|') })
    expect(single.value).toBeLessThan(bleu.value)
    const other = await scoresOf('measured', { metrics: ['CIDEr-D'], documents: 'scenes' })
    expect(other).toHaveLength(1)
    expect(other[0].signature).toMatch(/\|df:dataset-[0-9a-f]{8}/)
  })

  it('is over images that both described, and reports the number of others', async () => {
    const report = evaluationReport(
      [await evaluate({ dataset: 'scenes', system: 'lazy' })],
      { database: location, layout: 'long' },
      NO_LENGTHS,
    )
    const { scores } = toJson(report) as Json
    expect(scores[0]).toMatchObject({
      imageCount: 2,
      missingImageCount: 2,
      references: { least: 3, most: 3 },
    })
    const partial = await evaluate({ dataset: 'measured', system: 'lazy' })
    expect(
      await textOf(evaluationReport([partial], { database: 'accord.sqlite', layout: 'long' }, NO_LENGTHS)),
    ).toContain('\n  accord compare --dataset measured --system lazy --people --references 2\n')
    expect(report.warnings).toEqual([
      'The system has no caption for 2 images. The scores are over the other images.',
      'Not scored, without human captions: 1 image.',
    ])
  })

  it('warns of CIDEr on one image', async () => {
    const evaluation = await evaluate({ dataset: 'one', system: 'guesser' })
    const { warnings } = evaluationReport([evaluation], { database: location, layout: 'long' }, NO_LENGTHS)
    expect(warnings).toEqual([expect.stringMatching(/^CIDEr and CIDEr-D are 0 whatever the captions/)])
    const scores = await scoresOf('one', { metrics: ['BLEU-1', 'CIDEr'] })
    expect(scores).toMatchObject([{ warnings: [] }, { value: 0, warnings }])
  })

  async function scoresOf(dataset: string, options: Partial<EvaluationOptions>): Promise<Json> {
    const evaluation = await evaluate({ dataset, system: 'guesser', ...options })
    return (
      toJson(evaluationReport([evaluation], { database: location, layout: 'long' }, NO_LENGTHS)) as Json
    ).scores
  }
})

describe('evaluate --metrics', () => {
  it('prints, writes and stores only the selected metrics, as CSV in the order of all metrics', async () => {
    const { code, stdout } = await run(
      '--dataset scenes --system again --metrics METEOR BLEU-2 --metrics BLEU-2 --format csv --per-image some.csv',
    )
    expect(code).toBe(0)
    const stored = await readScores(database, [(await systemOf(database, scenes, 'again')).id])
    expect(stored.map(({ metric }) => metric)).toEqual(['BLEU-2', 'METEOR'])
    const rows: Record<string, string>[] = parse(stdout, { columns: true })
    expect(rows).toMatchObject(
      stored.map(({ metric, referenceCount, value, signature }) => ({
        metric,
        system: 'again',
        'references.least': String(referenceCount),
        'references.folds': '',
        value: String(value),
        'interval.lower': '',
        'human.mean': '',
        signature,
      })),
    )
    const [columns, first, ...others] = parse(readFileSync(path('some.csv')))
    expect(columns).toEqual(['system', 'imageId', 'BLEU-2', 'METEOR', 'BLEU-2.signature', 'METEOR.signature'])
    expect(first.slice(0, 2)).toEqual(['again', 'd,1'])
    expect(others).toHaveLength(3)
  })
})

describe('evaluate as a table', () => {
  const flags = '--dataset measured --system guesser --metrics CIDEr-D BLEU-1 ROUGE-L'

  it('has a row for each system and one for people, with intervals below, in 80 columns', async () => {
    const { stdout } = await run(flags)
    const [first, all, second, folds, notes] = stdout.split('\n\n')
    const rows = (table: string) => table.split('\n').toSpliced(1, 1)
    const figures = expect.stringMatching(/^guesser( +\d?\.\d{3}){4}$/)
    const spreads = expect.stringMatching(/^ +((±\d?\.\d{3}|\[\d?\.\d{3}, \d?\.\d{3}\]) *){3}$/)
    expect(first).toBe('All references: 2 to 3 references per image, over 16 images.')
    const head = expect.stringMatching(/^system +BLEU-1 +ROUGE-L +CIDEr-D +CIDEr-D \(coco\)$/)
    expect(rows(all)).toEqual([head, figures, spreads])
    expect(second.replace('\n', ' ')).toBe(
      '2 references: mean over the 3 folds that human captions are scored on, over 12 images.',
    )
    const people = expect.stringMatching(/^people( +\d?\.\d{3}){4}$/)
    expect(rows(folds)).toEqual([head, figures, spreads, people, spreads])
    const lines = notes.trimEnd().split('\n')
    expect(lines.slice(0, 10)).toEqual([
      'People: one human caption against 2 others, mean over 3 folds. Compare them only',
      'with scores on the same number of references.',
      'Words per caption: guesser 7.3; references 6.1.',
      'CIDEr-D: as the reference toolkit computes it, with the document frequencies of',
      ...Array(2).fill(expect.any(String)),
      expect.stringMatching(/^All references: Document frequencies of 16 images: /),
      ...Array(3).fill(expect.any(String)),
    ])
    expect(lines.slice(10)).toEqual([
      'Fewer than 30 images: intervals and tests are approximate.',
      expect.stringMatching(/^2 references: Document frequencies of 12 images: /),
      ...Array(3).fill(expect.any(String)),
      'Signatures (in full with --signatures):',
      expect.stringMatching(/^tok:ptb-3.4.1\|.*\|ci:jackknife\|version:/),
    ])
    expect(lines).toHaveLength(17)
  })

  it('has a row for each score with --layout long, and all signatures with --signatures', async () => {
    const { stdout } = await run(`${flags} --layout long --signatures --width 100`)
    const [rows, references, notes] = stdout.split('\n\n')
    const figures = ' +\\d?\\.\\d{3} +\\[\\d?\\.\\d{3}, \\d?\\.\\d{3}\\]'
    expect(rows.split('\n')).toEqual([
      '                all references         2 references           people',
      'metric          score   95 % interval  score   95 % interval  score  95 % interval',
      '─'.repeat(82),
      expect.stringMatching(`^BLEU-1(${figures}){3}$`),
      expect.stringMatching(`^ROUGE-L(${figures}){3}$`),
      expect.stringMatching(/^CIDEr-D( +\d?\.\d{3} +–){3}$/),
      expect.stringMatching(`^CIDEr-D \\(coco\\)(${figures}){3}$`),
    ])
    expect(references).toMatch(
      /^All references: 2 to 3 references per image, over 16 images\.\n2 references: /,
    )
    const lines = notes.trimEnd().split('\n')
    expect(lines.filter((line) => line.startsWith('  '))).toHaveLength(6)
    expect(lines).toContainEqual(expect.stringMatching(/^ {2}BLEU-1\|n:1\|.*\|folds:3\|/))
    expect(notes).toContain('\n2 references: Document frequencies of 12 images: ')
  })

  it('prints the command that computes human agreement', async () => {
    const text = await tableOf({ dataset: 'scenes', system: 'guesser' })
    expect(text).toMatch(/^BLEU-1 +\.\d{3} +–$/m)
    expect(text).toContain('\nFewer than 10 images: no interval and no test is reliable.\n')
    expect(text).toContain('\nTo compare systems with people:\n  accord evaluate --people --dataset scenes\n')
    mkdirSync(path('words'))
    write('words/english.synsets', 'dog\n1\n')
    write('words/english.exceptions', 'dog\ndoggies\n')
    const other = await tableOf({ dataset: 'measured', system: 'guesser' }, path('words'))
    expect(other).toContain(
      `\nTo compute human agreement by METEOR:\n  accord agreement --dataset measured --meteor-data ${path('words')}\n`,
    )
    const single = await tableOf({ dataset: 'measured', system: 'guesser', references: 1 })
    expect(single).toContain('\n  accord agreement --dataset measured --references 1\n')
  })

  it('has people on the same folds by one command', async () => {
    const asked = await world.dataset('asked', { images: kit.repeated(HUMAN, 4) })
    await asked.captionSystem('guesser', kit.repeated(GUESS, 4))
    const { code, stdout, stderr } = await run('--dataset asked --people --metrics BLEU-1 --json')
    expect(code, stderr).toBe(0)
    const { rows } = await reportAgreement(accord, { dataset: 'measured', metrics: ['BLEU-1'] })
    const { scores } = JSON.parse(stdout)
    expect(scores).toHaveLength(2)
    expect(scores[1]).toMatchObject({
      metric: 'BLEU-1',
      references: { folds: 3 },
      human: { mean: rows[0].mean },
    })
    const fewer = await run('--dataset asked --people --references 1 --metrics BLEU-1 --json')
    expect(JSON.parse(fewer.stdout).scores).toMatchObject([
      { human: { mean: expect.any(Number), references: 1 } },
    ])
    const single = await run('--dataset single --people --metrics BLEU-1')
    expect({ code: single.code, stdout: single.stdout }).toEqual({ code: 2, stdout: '' })
    expect(single.stderr).toContain('a dataset with at least 2 captions per image, found 1')
  })

  it('of a dataset with one caption per image has no human scores', async () => {
    const text = await tableOf({ dataset: 'single', system: 'guesser' })
    expect(text).toMatch(/^BLEU-1 +\.750 +–$/m)
    expect(text).toContain('\nAll references: 1 reference per image, over 2 images.\n')
  })

  async function tableOf(options: EvaluationOptions, meteorFolder?: string): Promise<string> {
    const hints = { database: 'accord.sqlite', meteorData: meteorFolder, layout: 'long' as const }
    return textOf(evaluationReport([await evaluate(options, meteorFolder)], hints, NO_LENGTHS))
  }
})

describe('the file with the scores of images', () => {
  const csv =
    'system,imageId,BLEU-1,BLEU-1.signature\nmine,"d,1",0.30000000000000004,s\nmine,b,1e-9,s\nmine,c,,s\n'

  it('has a row for each image', async () => {
    const report = {
      system: { name: 'mine' },
      scores: [{ metric: 'BLEU-1', signature: 's', warnings: [] }],
      externalIds: ['d,1', 'b', 'c'],
      imageScores: [Float64Array.of(0.1 + 0.2, 1e-9, Number.NaN)],
    } as unknown as EvaluationReport
    const imageScores = imageScoreReport([{ report } as FairEvaluation])
    expect(await render({ format: 'csv' }, imageScores)).toBe(csv)
  })

  it('replaces the target of a link, not the link', async () => {
    write('old.csv', 'old')
    symlinkSync('old.csv', path('link.csv'))
    checkOutput(path('link.csv'), true)
    await writeText(path('link.csv'), csv)
    expect(lstatSync(path('link.csv')).isSymbolicLink()).toBe(true)
    expect(readFileSync(path('old.csv'), 'utf8')).toBe(csv)
  })

  it('can be a pipe', async () => {
    execFileSync('mkfifo', [path('pipe')])
    const reader = outcomeOf(spawn('cat', [path('pipe')]))
    checkOutput(path('pipe'))
    await writeText(path('pipe'), csv)
    expect((await reader).stdout).toBe(csv)
    expect(lstatSync(path('pipe')).isFIFO()).toBe(true)
  })
})

describe('concurrent and interrupted evaluations', () => {
  it('two evaluations of one system both succeed, and its scores are stored once', async () => {
    const command = '--dataset scenes --system twice --format json --per-image both.csv --force'
    const [one, other] = await Promise.all([run(command), run(command)])
    expect([one.code, other.code]).toEqual([0, 0])
    expect(one.stdout).toBe(other.stdout)
    const { id } = await systemOf(database, scenes, 'twice')
    expect(await readScores(database, [id])).toHaveLength(METRICS.length + BESIDE_BUILT_IN)
    // Of the scores with own document frequencies, and of those with the built-in ones.
    expect(await database.all(sql`SELECT id FROM image_set WHERE system_id = ${id}`)).toHaveLength(2)
    expect(readFileSync(path('both.csv'), 'utf8').split('\n')).toHaveLength(6)
    expect(readdirSync(folder).filter((name) => name.endsWith('.partial'))).toEqual([])
  })

  it('an evaluation that is ended by Ctrl-C stores nothing', async () => {
    const { id } = await systemOf(database, scenes, 'stopped')
    const command = 'evaluate --dataset scenes --system stopped --per-image stopped.csv'
    const jobs = () => database.all(sql`SELECT id FROM job`)
    const before = await jobs()
    const child = startIn(command, environment)
    const outcome = outcomeOf(child)
    await vi.waitFor(async () => expect(await jobs()).not.toEqual(before), { timeout: 20_000, interval: 2 })
    child.kill('SIGINT')
    expect(await outcome).toMatchObject({ code: null, signal: 'SIGINT', stdout: '' })
    expect(await readScores(database, [id])).toEqual([])
    expect(readdirSync(folder).filter((name) => name.startsWith('stopped'))).toEqual([])
  })
})

describe('a failed evaluation is one line on stderr, prints nothing and stores nothing', () => {
  beforeAll(() => {
    mkdirSync(path('folder.csv'))
    write('file', '')
    mkdirSync(path('broken'))
    write('broken/english.synsets', 'dog\n1\ncat\n')
    write('broken/english.exceptions', 'dog\ndogs\n')
  })

  const unwritable = 'the file cannot be written: expected a path in an existing, writable folder, found'

  it.concurrent.each([
    [
      '--system refused --metrics BLEU-4 TER',
      2,
      `metrics: unknown metric: expected one of ${ALL_METRICS.join(', ').slice(0, 245)}…, found "TER"`,
    ],
    ['--system refused --per-image no/where.csv', 2, `no/where.csv: ${unwritable} no such file or directory`],
    [
      '--system refused --meteor-data broken',
      1,
      'broken/english.synsets: line 4: invalid METEOR data file: expected synset numbers, found the end of the file',
    ],
  ])('evaluate %s', async (command, status, message) => {
    const { code, stdout, stderr } = await run(`--dataset scenes ${command}`)
    expect({ code, stdout }).toEqual({ code: status, stdout: '' })
    const [line, ...others] = saidBesides(stderr)
    expect(others).toEqual([])
    expect(line).toBe(`accord: ${message}`)
    const { id } = await systemOf(database, scenes, 'refused')
    expect(await readScores(database, [id])).toEqual([])
  })

  it.each([
    ['no such file or directory', 'no/where.csv'],
    ['a folder', 'folder.csv'],
    ['not a directory', 'file/x.csv'],
    ['name too long', `${'x'.repeat(300)}.csv`],
  ])('a file for images that cannot be written: %s', async (found, name) => {
    // Of a long path the end.
    const source = path(name).length > 120 ? `…${path(name).slice(-119)}` : path(name)
    const message = `FILE_NOT_FOUND ${source}: ${unwritable} ${found}`
    expect(failureOf(() => checkOutput(path(name)))).toBe(message)
    await expect(writeText(path(name), '')).rejects.toThrow(`${source}: ${unwritable}`)
  })

  it('references that the dataset cannot have', async () => {
    const { code, stdout, stderr } = await run('--dataset scenes --system refused --references 3')
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(saidBesides(stderr)).toEqual([
      expect.stringMatching(/^accord: references: .* from 1 to 2, found 3$/),
    ])
    const both = await run('--dataset scenes --system refused --references 2 --document-frequencies measured')
    expect(both.code).toBe(1)
    expect(both.stderr).toContain('on folds, the document frequencies of a dataset cannot be used')
  })

  it('wrong usage exits with 2', async () => {
    const { code, stdout, stderr } = await run('--dataset scenes --system')
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^accord: '--system <name...>' argument missing\n/)
    expect(stderr.trimEnd()).toMatch(/See accord evaluate --help$/)
  })
})
