/** What the tests of caption metrics on stored data share: scores by name and id, and the same computed directly. */
import { type EvaluateInput, type EvaluateReport, evaluateSystem } from '../../src/jobs/evaluate.js'
import { loadFamilies } from '../../src/jobs/metric-families.js'
import type { Progress } from '../../src/jobs/progress.js'
import type { Database } from '../../src/store/database.js'
import type { System } from '../../src/store/entities.js'
import { readImageIds } from '../../src/store/images.js'
import { requireSystem } from '../../src/store/systems.js'
import { tokenize } from '../../src/text/tokenizer.js'
import type { SeededDataset } from '../kit/seed.js'
import { type Scores, score } from '../metrics/trials.js'

type ById<Value> = Readonly<Record<string, Value>>

/** All metrics, in the order in which they are shown. */
export const METRICS = loadFamilies().flatMap(({ metrics }) => metrics.map(({ name }) => name))

/** Scores of a system by metric, and of each image by its id in the imported file and metric. */
export interface NamedScores {
  readonly corpus: ById<number>
  readonly images: ById<ById<number>>
}

export function systemOf(database: Database, dataset: SeededDataset, name: string): Promise<System> {
  return requireSystem(database, dataset.row.id, name)
}

export async function evaluate(
  database: Database,
  dataset: SeededDataset,
  system: string,
  input: EvaluateInput = {},
  progress: Progress = () => {},
): Promise<EvaluateReport> {
  return evaluateSystem(database, await systemOf(database, dataset, system), input, progress)
}

export function namedScores(
  database: Database,
  dataset: SeededDataset,
  { scores, imageIds, imageScores }: EvaluateReport,
): NamedScores {
  const externalIds = new Map(Array.from(readImageIds(database, dataset.row.id), ([id, row]) => [row, id]))
  return {
    corpus: Object.fromEntries(scores.map(({ metric, value }) => [metric, value])),
    images: Object.fromEntries(
      Array.from(imageIds, (row, image) => [
        externalIds.get(row)!,
        Object.fromEntries(scores.map(({ metric }, index) => [metric, imageScores[index][image]])),
      ]),
    ),
  }
}

/** What the metrics themselves say of these captions, by image id. */
export function directScores(
  candidateOf: ById<string>,
  referencesOf: ById<readonly string[]>,
  families = loadFamilies(),
): NamedScores {
  const ids = Object.keys(candidateOf)
  const words = (caption: string) => tokenize(caption).join(' ')
  const written = ids.map((id) => ({
    candidate: words(candidateOf[id]),
    references: referencesOf[id].map(words),
  }))
  const results: Scores[] = families.map((family) => score(family, written))
  return {
    corpus: Object.assign({}, ...results.map(({ corpus }) => corpus)),
    images: Object.fromEntries(
      ids.map((id, image) => [id, Object.assign({}, ...results.map(({ images }) => images[image]))]),
    ),
  }
}

/** Where two sets of scores differ by more than rounding does, one line each. */
export function differences(found: NamedScores, expected: NamedScores): string[] {
  const rows = { corpus: found.corpus, ...found.images }
  const expectedRows: ById<ById<number>> = { corpus: expected.corpus, ...expected.images }
  const places = new Set([...Object.keys(rows), ...Object.keys(expectedRows)])
  return [...places].flatMap((place) => {
    const row: ById<number> = (rows as ById<ById<number>>)[place] ?? {}
    const expectedRow = expectedRows[place] ?? {}
    return [...new Set([...Object.keys(row), ...Object.keys(expectedRow)])]
      .filter((metric) => !(Math.abs(row[metric] - expectedRow[metric]) < 1e-12))
      .map((metric) => `${place}, ${metric}: expected ${expectedRow[metric]}, found ${row[metric]}`)
  })
}

/** Calls `work` again and again, thrown out of its first, second, … report of progress, until it is let be. */
export async function cancelEverywhere(
  work: (progress: Progress) => Promise<unknown> | unknown,
  afterEach: () => void,
): Promise<number> {
  for (let point = 0; ; point++) {
    const stop = new Error('stop')
    let calls = 0
    try {
      await work(() => {
        if (calls++ === point) throw stop
      })
      return point
    } catch (error) {
      if (error !== stop) throw error
    }
    afterEach()
  }
}
