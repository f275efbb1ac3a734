import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { requireDataset } from '../../src/services/datasets/datasets.js'
import { importDataset } from '../../src/services/datasets/import-captions.js'
import { openAccord } from '../../src/services/open-accord.js'
import type { Accord } from '../../src/services/shared/accord.js'
import { importResults } from '../../src/services/systems/import-results.js'
import { withoutJob } from '../../src/services/uploads/import-job.js'
import type { Dataset } from '../../src/store/schema/dataset-tables.js'

/** An image of a sample: captions of people, and of each system by its name. */
export interface SampledImage {
  readonly people: readonly string[]
  readonly systems: Readonly<Record<string, string>>
}

/** Samples that a database holds before another one takes its place. */
const SAMPLES_PER_DATABASE = 50

/** Imports samples as users import files, with all defaults. An image that is drawn twice is two images. */
export async function withImports(work: (sample: ImportSample) => Promise<void>): Promise<void> {
  let imported = 0
  let current = await openTemporary()
  try {
    await work(async (images) => {
      if (++imported % SAMPLES_PER_DATABASE === 0) {
        await current.close()
        current = await openTemporary()
      }
      const { accord } = current
      return { accord, dataset: await importSample(accord, `sample ${imported}`, images) }
    })
  } finally {
    await current.close()
  }
}

async function openTemporary() {
  const folder = mkdtempSync(join(tmpdir(), 'accord-simulation-'))
  const accord = await openAccord({ location: join(folder, 'samples.sqlite'), threadCount: 1 })
  return {
    accord,
    async close() {
      await accord.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Imports the images as a dataset with the systems that they have captions of. */
export type ImportSample = (
  images: readonly SampledImage[],
) => Promise<{ readonly accord: Accord; readonly dataset: Dataset }>

const UNDESCRIBED = { fileName: null, url: null, width: null, height: null }

async function importSample(accord: Accord, name: string, images: readonly SampledImage[]): Promise<Dataset> {
  const idOf = (index: number) => `image ${index}`
  await importDataset(
    withoutJob(accord.database, () => {}),
    { dataset: name, language: 'en' },
    images.map(({ people }, index) => ({
      externalId: idOf(index),
      ...UNDESCRIBED,
      captions: people.map((text, person) => ({ externalId: `${index} ${person}`, text })),
    })),
  )
  const dataset = await requireDataset(accord, name)
  for (const system of Object.keys(images[0].systems)) {
    const captions = images.map(({ systems }, index) => ({
      imageId: idOf(index),
      isId: true,
      text: systems[system],
    }))
    await importResults(
      withoutJob(accord.database, () => {}),
      dataset,
      { source: system, captions, system, isMissingAllowed: false },
    )
  }
  return dataset
}
