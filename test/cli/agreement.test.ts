import { mkdirSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import { beforeAll, describe, expect, it } from 'vitest'
import { agreementReport, computeTable } from '../../src/cli/commands/agreement.js'
import { toJson } from '../../src/cli/output/report.js'
import { agreementByDataset } from '../../src/services/agreement/agreement.js'
import { openAccord } from '../../src/services/open-accord.js'
import { importBoxes } from '../../src/services/selection/import-boxes.js'
import { withoutJob } from '../../src/services/uploads/import-job.js'
import { rejectionOf } from '../kit/boxes.js'
import * as kit from '../kit/scenes.js'
import { initWorld, type Json, type SeededDataset } from '../kit/seed.js'
import { directScores, METRICS } from '../services/evaluations/caption-metrics.js'
import { type Outcome, textOf, workbench } from './kit.js'

const { path, run: runIn, write } = workbench()
const world = await initWorld()
const { accord, location } = world
const run = (command: string) => runIn(`agreement ${command}`, { ACCORD_DATABASE: location })

const { c: _bus, ...HUMAN } = kit.HUMAN
const SCENES = kit.repeated(HUMAN, 4)

const silent = () => {}

const saidBesides = (stderr: string) => stderr.split('\n').filter((line) => line !== '')

let scenes: SeededDataset
let json: Outcome
let csv: Outcome
let table: string

beforeAll(async () => {
  scenes = await world.dataset('scenes', { images: { ...SCENES, few: ['A bus.'], none: [] } })
  await world.dataset('single', { images: { x: ['A dog.'], y: ['A cat.'] } })
  write('boxes.json', { images: [{ image_id: 1, width: 9, height: 9, boxes: [] }] })
  await importBoxes(withoutJob(accord.database, silent), { file: path('boxes.json'), dataset: 'boxes' })
  await world.dataset('one', { images: { x: ['A dog.', 'The dog.'] } })
  await world.dataset('crowd', {
    images: Object.fromEntries(
      Object.entries(HUMAN).map(([id, captions]) => [id, captions.flatMap((text) => [text, text, text])]),
    ),
  })
  await world.dataset('four', {
    images: Object.fromEntries(
      Object.entries(HUMAN).map(([id, captions]) => [
        id,
        [...captions, `${captions[0].slice(0, -1)} today.`],
      ]),
    ),
  })
  json = await run('--dataset scenes --format json')
  csv = await run('--dataset scenes --format csv')
  table = await textOf(agreementReport(await computeTable(accord, { dataset: 'scenes' }, silent)))
})

interface Options {
  readonly dataset: string
  readonly references?: number
  /** A METEOR folder. */
  readonly meteorFolder?: string
}

async function compute({ meteorFolder, ...options }: Options) {
  const own = await openAccord({ location, meteorFolder, threadCount: 1 })
  try {
    return await computeTable(own, options, silent)
  } finally {
    await own.close()
  }
}

const jsonOf = async (options: Options): Promise<Json> => toJson(agreementReport(await compute(options)))

describe('agreement as JSON', () => {
  it('has the mean, deviation and interval of each metric, unrounded', async () => {
    expect({ code: json.code, besides: saidBesides(json.stderr) }).toEqual({ code: 0, besides: [] })
    const { scores, published, notes, ...about } = JSON.parse(json.stdout)
    expect(about).toEqual({ dataset: 'scenes', references: 2, imageCount: 12, excludedImageCount: 2 })
    expect(notes).toEqual([
      expect.stringContaining('not a sampling error'),
      'Fewer than 30 images: intervals and tests are approximate.',
      expect.stringContaining('recall only'),
      // ROUGE-4 is 0 on every image.
      expect.stringContaining('its uncertainty is unknown'),
      expect.stringContaining('Document frequencies of 12 images'),
    ])
    const [beside] = (await agreementByDataset(accord, [scenes.row.id], 2, 'coco'))
      .get(scenes.row.id)!
      .filter(({ metric }) => metric === 'CIDEr-D')
    expect(beside.signature).toContain('|df:coco-')
    expect(scores.find(({ metric }: Json) => metric === 'CIDEr-D')).toMatchObject({
      interval: null,
      undefinedReason: 'OWN_DOCUMENTS',
      coco: {
        mean: beside.mean,
        interval: { lower: beside.lower, upper: beside.upper },
        signature: beside.signature,
      },
    })
    expect(beside.lower).toBeLessThan(beside.mean)
    expect(published.map(({ metric, isSameMetric }: Json) => [metric, isSameMetric])).toEqual(
      ['BLEU-1', 'BLEU-2', 'BLEU-3', 'BLEU-4', 'METEOR', 'ROUGE-L', 'CIDEr-D'].map((metric) => [
        metric,
        metric !== 'METEOR',
      ]),
    )
    expect(published[0]).toMatchObject({
      published: { c5: 0.663, c40: 0.88 },
      references: 2,
      mean: scores[0].mean,
      curve: [{ references: 1 }, { references: 2, mean: scores[0].mean }],
      extrapolation: null,
      differences: ['REFERENCES', 'IMAGES'],
    })
    const rows = (await agreementByDataset(accord, [scenes.row.id])).get(scenes.row.id)!
    expect(scores).toEqual(
      rows.map(({ metric, folds, mean, standardDeviation, lower, upper, signature }) => ({
        metric,
        folds,
        mean,
        standardDeviation,
        interval: lower === null ? null : { lower, upper },
        // ROUGE-4 is 0 on every image.
        undefinedReason:
          { 'ROUGE-4': 'NO_VARIATION', CIDEr: 'OWN_DOCUMENTS', 'CIDEr-D': 'OWN_DOCUMENTS' }[metric] ?? null,
        isSmall: true,
        signature,
        coco: metric.startsWith('CIDEr') ? expect.any(Object) : null,
        warnings: [],
      })),
    )
    expect(scores.map(({ metric }: { metric: string }) => metric)).toEqual(METRICS)
    expect(scores[0].folds).toHaveLength(3)
  })

  it('lists the score of each metric in each fold; the first fold holds out the first captions', () => {
    const { scores } = JSON.parse(json.stdout)
    expect(scores.map(({ metric }: Json) => metric)).toEqual(METRICS)
    for (const fold of [0, 1, 2]) {
      const expected = directScores(
        Object.fromEntries(Object.entries(SCENES).map(([id, captions]) => [id, captions[fold]])),
        Object.fromEntries(
          Object.entries(SCENES).map(([id, captions]) => [id, captions.filter((_, index) => index !== fold)]),
        ),
      )
      for (const { metric, folds } of scores) expect(folds[fold]).toBeCloseTo(expected.corpus[metric], 12)
    }
    for (const { folds, mean } of scores) expect(mean).toBeCloseTo((folds[0] + folds[1] + folds[2]) / 3, 14)
  })

  it('is of as many references as wanted', async () => {
    const { references, scores, published } = await jsonOf({ dataset: 'scenes', references: 1 })
    expect({ references, published }).toEqual({ references: 1, published: [] })
    expect(scores[0].signature).toContain('|refs:1|')
    expect(scores[0].mean).not.toBe(JSON.parse(json.stdout).scores[0].mean)
  })

  it('has a warning for CIDEr on one image', async () => {
    const { code, stdout, stderr } = await run('--dataset one --format json')
    expect(code).toBe(0)
    expect(saidBesides(stderr)).toEqual([
      expect.stringMatching(/^CIDEr and CIDEr-D are 0 whatever the captions say/),
    ])
    const { scores } = JSON.parse(stdout)
    expect(scores.find(({ metric }: { metric: string }) => metric === 'CIDEr-D')).toMatchObject({
      mean: 0,
      warnings: saidBesides(stderr),
    })
  })
})

describe('agreement as CSV', () => {
  it('has the figures of the JSON, a column for each fold', () => {
    const { scores } = JSON.parse(json.stdout)
    const header = ['metric', 'folds.0', 'folds.1', 'folds.2', 'mean', 'standardDeviation', 'interval.lower']
    const rows: string[][] = parse(csv.stdout)
    expect(rows.map((cells) => cells.slice(0, 7))).toEqual([
      header,
      ...scores.map(({ metric, folds, mean, standardDeviation, interval }: Json) => [
        metric,
        ...[...folds, mean, standardDeviation, interval?.lower ?? ''].map(String),
      ]),
    ])
  })
})

describe('agreement as a table', () => {
  it('shows folds, mean, deviation and interval, and below them what was published', () => {
    const [own, notes, published, differences] = table.split('\n\n').map((part) => part.split('\n'))
    const rounded = '\\d?\\.\\d{3}'
    expect(own[0]).toMatch(/^metric +fold 1 +fold 2 +fold 3 +mean +sd +95 % interval$/)
    expect(own.slice(2).map((line) => line.split('  ')[0])).toEqual(
      METRICS.flatMap((metric) => (metric.startsWith('CIDEr') ? [metric, `${metric} (coco)`] : [metric])),
    )
    expect(own.find((line) => line.startsWith('CIDEr-D (coco)'))).toMatch(
      new RegExp(`( +${rounded}){5} +\\[${rounded}, ${rounded}\\]$`),
    )
    expect(own[2]).toMatch(new RegExp(`^BLEU-1( +${rounded}){5} +\\[${rounded}, ${rounded}\\]$`))
    expect(notes.slice(0, 3)).toEqual([
      'One of 3 captions against 2 others, over 12 images.',
      'Excluded for having fewer captions: 2 images.',
      expect.stringMatching(/^Words per caption: \d\.\d\.$/),
    ])
    expect(notes.join(' ')).toContain('The spread over folds is not a sampling error')
    expect(published[0]).toMatch(/^ +references +extrapolated +published$/)
    expect(published[1]).toMatch(/^metric +1 +2 +to 5 +5 +40$/)
    const row = (start: string) => published.find((line) => line.startsWith(start))
    // Nearly 0, which is not shown as 0.
    expect(row('BLEU-4 ')).toMatch(/^BLEU-4( +< \.001){2} +– +\.217 +\.471$/)
    expect(row('CIDEr-D ')).toMatch(new RegExp(`^CIDEr-D( +${rounded}){2} +–  \\.854  \\.910$`))
    // METEOR of this dataset and the published one are different metrics, in different rows.
    expect(row('METEOR without paraphrases')).toMatch(new RegExp(`paraphrases( +${rounded}){2}( +–){3}$`))
    expect(row('METEOR with paraphrases')).toMatch(/paraphrases( +–){3} +\.252 +\.335$/)
    expect(row('ROUGE-2')).toBeUndefined()
    const text = differences.join(' ')
    for (const reason of ['5 and 40 references', 'COCO test set', 'paraphrases', 'document frequencies']) {
      expect(text).toContain(reason)
    }
  })

  it('leaves out folds that no terminal has room for, and labels what is extrapolated', async () => {
    const text = await textOf(agreementReport(await compute({ dataset: 'crowd' })))
    expect(text).toMatch(/^metric +mean +sd +95 % interval\n/)
    expect(text).toContain('\nOne of 9 captions against 8 others, over 3 images.\n')
    expect(text).not.toContain('To 5 references')
    expect(text).toMatch(/^ROUGE-1( +\.\d{3}){2} +–$/m)
    expect(text).toContain('\nFewer than 10 images: no interval and no test is reliable.\n')
    const four = await textOf(agreementReport(await compute({ dataset: 'four' })))
    expect(four).toMatch(/^BLEU-1( +\.\d{3}){3} +~\.\d{3} +\.663 +\.880$/m)
    expect(four).toContain('To 5 references: an extrapolation (')
    expect(four).toContain('not a measurement')
  })
})

describe('a table that was computed', () => {
  it('is stored and not computed again', async () => {
    await world.dataset('new', { images: { x: ['A dog.', 'The dog runs.'], y: ['A cat.', 'The cat.'] } })
    const messagesOf = async () => {
      const messages: string[] = []
      const { rows } = await computeTable(accord, { dataset: 'new' }, (_, message) => messages.push(message))
      return { messages, ids: rows.map(({ id }) => id) }
    }
    const first = await messagesOf()
    expect(first.messages).toContain('measuring')
    expect(await messagesOf()).toEqual({ messages: [], ids: first.ids })
    expect(csv).toMatchObject({ code: 0, stderr: '' })
  })

  it('is computed again with other METEOR data', async () => {
    mkdirSync(path('words'))
    write('words/english.synsets', 'dog\n1\ncat\n1\n')
    write('words/english.exceptions', 'dog\ndoggies\n')
    const own = (await jsonOf({ dataset: 'scenes', meteorFolder: path('words') })).scores
    const shipped = (await jsonOf({ dataset: 'scenes' })).scores
    expect(own.slice(0, -1)).toEqual(shipped.slice(0, -1))
    expect(own.at(-1).signature).toMatch(/^METEOR\|.*\|synonyms:sha256:[0-9a-f]{12}\|/)
    expect(shipped).toEqual(JSON.parse(json.stdout).scores)
  })
})

describe('no agreement: one line on stderr, nothing printed', () => {
  it('of a dataset with one caption per image', async () => {
    const { code, stdout, stderr } = await run('--dataset single')
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'accord: references: invalid number of references:' +
        ' expected a dataset with at least 2 captions per image, found 1\n',
    })
  })

  it.each([
    [{ dataset: 'moon' }, /^UNKNOWN_DATASET dataset: .* found "moon"$/],
    [{ dataset: 'scenes', references: 3 }, /^OUT_OF_RANGE references: .* from 1 to 2, .*found 3$/],
    [
      { dataset: 'scenes', references: 900719925474099 },
      /^OUT_OF_RANGE references: .*found 900719925474099$/,
    ],
    [{ dataset: 'boxes' }, /^OUT_OF_RANGE references: .*found 0$/],
    [
      { dataset: 'scenes', meteorFolder: 'nowhere' },
      /^RESOURCE_MISSING nowhere: METEOR data folder not found: /,
    ],
  ])('%o', async (options, message) => {
    expect(await rejectionOf(compute(options))).toMatch(message)
  })

  it('wrong usage exits with 2', async () => {
    const { code, stdout, stderr } = await run('--dataset scenes --references 0')
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain("argument '0' is invalid. Expected an integer of at least 1.")
    expect(stderr.trimEnd()).toMatch(/See accord agreement --help$/)
  })
})
