import { beforeAll, describe, expect, it } from 'vitest'
import { PAPER_ITEMS } from '../../src/services/papers/papers.js'
import { SEED_DATASET, writeSeed } from '../../src/services/seed/seed.js'
import { initWorld, type Json } from '../kit/seed.js'
import { workbench } from './kit.js'

const { run: runIn, write } = workbench()
const world = await initWorld()
const run = (command: string) => runIn(command, { ACCORD_DATABASE: world.location })

async function succeed(command: string): Promise<string> {
  const { code, stdout, stderr } = await run(command)
  if (code !== 0) throw new Error(`accord ${command}: ${stderr}`)
  return stdout
}

const json = async (command: string): Promise<Json> => JSON.parse(await succeed(`${command} --json`))

const PAIRS = [
  { image_id: 1, captions: ['A dog runs.', 'A cat.'], preferred: 0, category: 'HI' },
  { image_id: 2, captions: ['A cat.', 'A dog in a park.'], preferred: 1, category: 'HM' },
].map((pair) => ({ ...pair, references: ['A dog runs in a park.', 'The brown dog is running.'] }))

/** The dataset of each table and figure; the bundled one unless it is named here. */
const DATASETS: Readonly<Record<string, string>> = { 'composites-table-2': 'pairs' }
const PRIORS: Readonly<Record<string, string>> = { selection: ' --priors-share 0.5' }

const datasetOf = (id: string) => DATASETS[id] ?? SEED_DATASET
const commandOf = (id: string) => `papers ${id} --dataset ${datasetOf(id)}${PRIORS[id.split('-')[0]] ?? ''}`

interface Cell {
  readonly panel: string | null
  readonly row: string | null
  readonly k: number | null
  readonly column: string
  readonly ours: Json
  readonly published: Json
  readonly reason: string | null
}

const known = new Map<string, Promise<Json>>()

/** The cells of a table or figure, computed once. */
async function cellsOf(id: string) {
  const found = known.get(id) ?? json(commandOf(id))
  known.set(id, found)
  const cells = (await found).cells as Cell[]
  return {
    cells,
    at(wanted: Partial<Cell>): Cell {
      const found = cells.filter((cell) =>
        Object.entries(wanted).every(([key, value]) => cell[key as keyof Cell] === value),
      )
      expect(found, JSON.stringify(wanted)).toHaveLength(1)
      return found[0]
    },
  }
}

beforeAll(async () => {
  await writeSeed(world.accord.database, () => {})
  write('pairs.jsonl', PAIRS.map((pair) => `${JSON.stringify(pair)}\n`).join(''))
  await succeed('import judgements pairs.jsonl --dataset pairs')
  write(
    'votes.csv',
    'atom,visual,voter\n' +
      ['anna', 'ben', 'cem'].map((voter) => `man,yes,${voter}\nway,no,${voter}\n`).join(''),
  )
  await succeed(`import votes votes.csv --dataset ${SEED_DATASET} --kind entity`)
  const model = '--embedding 8 --state 8 --epochs 1 --test-images 40 --validation-images 20'
  await succeed(`bounds run --dataset ${SEED_DATASET} --kind all entity --atoms 0 20 ${model}`)
  await succeed(`bounds run --dataset ${SEED_DATASET} --atoms 20 --replace 0.5 ${model}`)
})

describe('accord papers', () => {
  it('lists the tables and figures of the four papers', async () => {
    const { items, dataset } = await json('papers')
    expect(dataset).toBeNull()
    expect(items.map(({ id }: Json) => id)).toEqual([
      'coco-table-1',
      'coco-table-2',
      'coco-figure-3',
      'selection-table-1',
      'selection-figure-3',
      'selection-figure-4',
      'selection-figure-5',
      'selection-figure-6',
      'composites-table-1',
      'composites-table-2',
      'bounds-table-1',
      'bounds-table-2',
      'bounds-figure-2',
      'bounds-figure-3',
    ])
  })

  it('says what a dataset lacks, and refuses that with the same words', async () => {
    const { items } = await json('papers --dataset pairs')
    const lacking = items.filter(({ lacks }: Json) => lacks !== null)
    expect(lacking.map(({ id }: Json) => id)).toEqual(
      PAPER_ITEMS.map(({ id }) => id).filter((id) => !id.startsWith('coco') && id !== 'composites-table-2'),
    )
    for (const { id, needs, lacks } of lacking) {
      const { code, stdout, stderr } = await run(`papers ${id} --dataset pairs`)
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toContain(`pairs cannot give ${id}`)
      expect(stderr).toContain(`expected ${needs}`)
      expect(stderr).toContain(lacks)
    }
  })

  it('suggests an id', async () => {
    const { code, stderr } = await run(`papers coco-table-3 --dataset ${SEED_DATASET}`)
    expect([code, stderr]).toEqual([2, expect.stringMatching(/id: unknown table or figure: .*coco-table-1/)])
  })

  it('shows nothing undefined without a reason, and every published figure', async () => {
    const published: Record<string, number> = {}
    for (const { id } of PAPER_ITEMS) {
      const { cells } = await cellsOf(id)
      expect(cells.length, id).toBeGreaterThan(0)
      expect(cells.filter(({ ours, reason }) => (ours === null) === (reason === null))).toEqual([])
      published[id] = cells.filter((cell) => cell.published !== null).length
      const text = await succeed(commandOf(id))
      expect(text).not.toMatch(/NaN|undefined|null/)
    }
    expect(published).toEqual({
      'coco-table-1': 14,
      'coco-table-2': 0,
      'coco-figure-3': 0,
      'selection-table-1': 153,
      'selection-figure-3': 50,
      'selection-figure-4': 80,
      'selection-figure-5': 25,
      'selection-figure-6': 6,
      'composites-table-1': 12,
      'composites-table-2': 60,
      'bounds-table-1': 32,
      'bounds-table-2': 9,
      'bounds-figure-2': 1,
      'bounds-figure-3': 0,
    })
  })
})

describe('figures are those of the other commands', () => {
  it('on human agreement', async () => {
    const { at } = await cellsOf('coco-table-1')
    const { published } = await json(`agreement --dataset ${SEED_DATASET}`)
    for (const { metric, mean, extrapolation, published: paper } of published) {
      expect(at({ row: metric, column: '4 references' }).ours.value).toBe(mean)
      const c5 = at({ row: metric, column: 'c5' })
      expect([c5.ours?.value ?? null, c5.published.value]).toEqual([extrapolation?.value ?? null, paper.c5])
      expect(at({ row: metric, column: 'c40' }).published.value).toBe(paper.c40)
    }
    expect(published).toHaveLength(7)
  })

  it('on words', async () => {
    const { cells, at } = await cellsOf('coco-figure-3')
    const { words } = await json(`words --dataset ${SEED_DATASET} --references 2`)
    const { word, precision, recall, models } = words[0]
    const point = { panel: 'all words', row: word, k: 2 }
    expect(at({ ...point, column: 'precision' }).ours.value).toBe(precision)
    expect(at({ ...point, column: 'recall' }).ours.value).toBe(recall)
    expect(at({ ...point, column: 'model precision' }).ours.value).toBe(models.MOMENT.precision)
    expect(
      cells.filter(({ panel, k, column }) => panel === 'all words' && k === 2 && column === 'recall'),
    ).toHaveLength(words.length)
  })

  it('on content selection', async () => {
    const { rows } = await json(`selection --dataset ${SEED_DATASET} --priors-share 0.5`)
    const table = await cellsOf('selection-table-1')
    const both = await cellsOf('selection-figure-4')
    const combined = await cellsOf('selection-figure-6')
    const find = (system: string, k: number | null) =>
      rows.find((row: Json) => row.system === system && row.k === k)
    const people = find('human', null)
    const { ours, published } = table.at({ row: 'Upper bound', column: 'R' })
    expect(ours).toMatchObject({
      value: people.recall,
      sd: people.recallSd,
      interval: people.intervals.recall,
    })
    expect(published).toMatchObject({ value: 0.77, sd: 0.11 })
    const bigram = table.at({ row: 'Bigram', k: 3, column: 'F' })
    expect(bigram.ours.value).toBe(find('bigram', 3).f)
    expect(bigram.published).toMatchObject({ value: 0.5, sd: 0.19 })
    expect(both.at({ row: 'Unigram', k: 15, column: 'P' }).ours.value).toBe(find('unigram', 15).precision)
    expect(combined.at({ row: 'bigram+position', column: 'k = 4' }).ours.value).toBe(
      find('bigram+position', 4).f,
    )
  })

  it('on sentences, with the ids of their boxes', async () => {
    const { cells } = await cellsOf('selection-figure-5')
    const ours = cells.filter((cell) => cell.ours !== null)
    expect(ours).toHaveLength(25)
    for (const { ours: sentence } of ours)
      expect(sentence.text).toMatch(
        /^\[F=(1\.00|\.\d\d)\] \[[A-Z][^\]]*\]\([\w-]+\)[^[]*(\[[^\]]+\]\([\w-]+\)[^[]*)*\.$/,
      )
  })

  it('on judgements', async () => {
    const ratings = await cellsOf('composites-table-1')
    const { rows } = await json(`judge --dataset ${SEED_DATASET} --metrics BLEU-4 WMD`)
    for (const { metric, tauC } of rows)
      expect(ratings.at({ row: metric === 'BLEU-4' ? 'BLEU' : metric }).ours.value).toBe(tauC)
    expect(ratings.at({ row: 'Eval_MS' }).reason).toMatch(/not trained/)
    const pairs = await cellsOf('composites-table-2')
    const { rows: preferences } = await json('judge --dataset pairs --metrics SPICE')
    expect(pairs.at({ row: 'SPICE', column: 'HM' }).ours.value).toBe(preferences[0].accuracy.HM)
    expect(pairs.at({ row: 'SPICE', column: 'AVG' }).ours.value).toBe(preferences[0].mean)
    expect(pairs.at({ row: 'SPICE', column: 'MM' }).reason).toMatch(/no category MM/)
  })

  it('on upper bounds and votes', async () => {
    const figure = await cellsOf('bounds-figure-2')
    const wrong = await cellsOf('bounds-figure-3')
    const table = await cellsOf('bounds-table-1')
    const { points, capacities } = await json(`bounds --dataset ${SEED_DATASET}`)
    const scoreOf = (kind: string, atoms: number, replaced: number) =>
      points.find((one: Json) => one.kind === kind && one.atoms === atoms && one.replaced === replaced).score
    expect(figure.at({ column: 'ENT', k: 20 }).ours.value).toBe(scoreOf('entity', 20, 0))
    expect(figure.at({ column: 'BLEU-4', k: 10 })).toMatchObject({
      ours: null,
      published: { value: 0.15 },
      reason: expect.stringContaining('10 atoms'),
    })
    expect(wrong.at({ panel: 'CIDEr, ALL', column: 'r = 0.5', k: 20 }).ours.value).toBe(
      scoreOf('all', 20, 0.5),
    )
    const [{ system, score }] = capacities
    expect(table.at({ row: system, column: 'C' }).ours.value).toBe(score)
    expect(table.at({ row: system, column: 'C bound' }).ours.value).toBe(
      Math.max(scoreOf('all', 0, 0), scoreOf('all', 20, 0)),
    )
    expect(table.at({ row: system, column: 'ACT' }).reason).toMatch(/action/)
    const votes = await cellsOf('bounds-table-2')
    const { kinds } = await json(`votes --dataset ${SEED_DATASET}`)
    expect(votes.at({ row: SEED_DATASET, column: 'entities' }).ours.value).toBe(kinds[0].visualShare)
    expect(kinds[0].visualShare).toBe(0.5)
  })
})
