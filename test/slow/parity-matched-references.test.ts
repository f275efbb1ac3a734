/** Systems on the folds of references that people are measured on, compared with figures computed by the toolkit. */
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { readResults } from '../../src/formats/captions/caption-files.js'
import { importCaptions } from '../../src/services/datasets/import-captions.js'
import { importResults } from '../../src/services/systems/import-results.js'
import { withoutJob } from '../../src/services/uploads/import-job.js'
import { requireDataset } from '../../src/store/datasets.js'
import type { Database } from '../../src/store/engine/session.js'
import { requireSystem } from '../../src/store/systems.js'
import { dataFile, dataPresent } from '../kit/data.js'
import { openTestDatabase } from '../kit/databases.js'
import { METEOR_IN_IMAGE_ORDER, SYSTEMS } from '../parity/golden.js'
import { evaluateSystem, METRICS, threads } from '../services/evaluations/caption-metrics.js'

const TOLERANCE = 1e-9
const GOLDEN = 'golden/matched_references_val2017.json'
const CAPTIONS = 'coco/captions_val2017.json'
const resultsOf = (system: string) => `coco/captions_val2017_${system}_results.json`

interface Golden {
  readonly systems: Readonly<
    Record<
      string,
      {
        readonly mean: Readonly<Record<string, number>>
        readonly folds: readonly Readonly<Record<string, number>>[]
      }
    >
  >
}

const present = dataPresent('systems on the references of people', [
  GOLDEN,
  CAPTIONS,
  ...SYSTEMS.map(resultsOf),
])

describe.skipIf(!present)('on the folds of 4 references of val2017', () => {
  let database: Database
  let golden: Golden

  beforeAll(async () => {
    golden = JSON.parse(readFileSync(dataFile(GOLDEN), 'utf8'))
    database = await openTestDatabase('sqlite')
    await importCaptions(
      withoutJob(database, () => {}),
      { file: dataFile(CAPTIONS), dataset: 'coco' },
    )
  })

  // METEOR takes as long as all others together: of one system it is enough.
  it.each(SYSTEMS.map((system, index) => [system, index === 0 ? METRICS : METRICS.slice(0, -1)] as const))(
    '%s has the mean and each fold of the toolkit',
    async (name, metrics) => {
      const dataset = await requireDataset(database, 'coco')
      const file = dataFile(resultsOf(name))
      const captions = readResults(file)
      const input = { source: file, captions, system: name, isMissingAllowed: false }
      await importResults(
        withoutJob(database, () => {}),
        dataset,
        input,
      )
      const system = await requireSystem(database, dataset.id, name)
      const { scores } = await evaluateSystem(database, threads, system, { metrics, references: 4 }, () => {})
      const { mean, folds } = golden.systems[name]
      const meteor = METEOR_IN_IMAGE_ORDER['dai-2017']
      const expectedOf = (metric: string) =>
        metric === 'METEOR'
          ? [meteor.reduce((sum, score) => sum + score / 5, 0), ...meteor]
          : [mean, ...folds].map((figures) => figures[metric])
      const different = scores.flatMap(({ metric, value, folds: ours }) =>
        [value, ...ours!]
          .map((score, index) => Math.abs(score - expectedOf(metric)[index]))
          .filter((distance) => !(distance < TOLERANCE))
          .map((distance) => `${metric}: ${distance}`),
      )
      expect(different).toEqual([])
      expect(scores.map(({ metric }) => metric)).toEqual(metrics)
    },
    120_000,
  )
})
