import { basename } from 'node:path'
import { finishSource, startTally } from '../formats/boxes.js'
import type { CaptionedImages } from '../formats/coco-captions.js'
import { submittedResults } from '../formats/coco-results.js'
import { listFiles, readScenes, type Scene } from '../formats/scenes.js'
import { readWordScores } from '../formats/word-scores.js'
import { projectFile } from '../project.js'
import { insertBoxes, insertSystemDescriptions } from '../store/boxes.js'
import { type Database, inLongTransaction } from '../store/database.js'
import { listDatasets, requireDataset } from '../store/datasets.js'
import type { Dataset } from '../store/entities.js'
import { requireSystem } from '../store/systems.js'
import { importDataset } from './import-captions.js'
import { importResults } from './import-results.js'
import { importScores } from './import-scores.js'
import { type Progress, part } from './progress.js'

/** Name of the data set that comes with Accord. */
export const SEED_DATASET = 'scenes'

/**
 * Loads the data set that comes with Accord, its boxes, captioning systems and word-score systems included, into a
 * database without any data set: all of it or, where it is interrupted, nothing. To be called while nothing else
 * uses the database.
 *
 * @returns whether it was loaded; false where the database holds a data set
 * @throws AccordError BUSY where another process keeps writing
 */
export function loadSeed(database: Database, progress: Progress): Promise<boolean> {
  return inLongTransaction(database, async () => {
    if ((await listDatasets(database)).length > 0) return false
    const scenes = readScenes(projectFile('seed/scenes'))
    const input = { dataset: SEED_DATASET }
    await importDataset(database, input, captionedImages(scenes), undefined, part(progress, 0, 0.5))
    const dataset = await requireDataset(database, SEED_DATASET)
    loadBoxes(database, dataset, scenes)
    await loadCaptionSystems(database, dataset, scenes, part(progress, 0.5, 0.8))
    await loadScoreSystems(database, dataset, part(progress, 0.8, 1))
    return true
  })
}

/** The objects of the scenes, and which words of the human captions name them. */
function loadBoxes(database: Database, dataset: Dataset, scenes: readonly Scene[]): void {
  const descriptions = scenes.flatMap(({ captions }) => captions)
  insertBoxes(database, dataset.id, finishSource(scenes, descriptions, startTally()))
}

/** The scenes as images with human captions. */
export function captionedImages(scenes: readonly Scene[]): CaptionedImages {
  const firstCaption = new Int32Array(scenes.length + 1)
  for (const [index, { captions }] of scenes.entries()) {
    firstCaption[index + 1] = firstCaption[index] + captions.length
  }
  return {
    images: scenes.map(({ imageId, width, height }) => ({
      externalId: imageId,
      fileName: null,
      url: null,
      width,
      height,
    })),
    captions: scenes.flatMap(({ captions }) =>
      captions.map(({ id, sentence }) => ({ externalId: id, text: sentence.text })),
    ),
    firstCaption,
  }
}

async function loadCaptionSystems(
  database: Database,
  dataset: Dataset,
  scenes: readonly Scene[],
  progress: Progress,
): Promise<void> {
  const systems = [...new Set(scenes.flatMap((scene) => [...scene.systems.keys()]))]
  for (const [index, system] of systems.entries()) {
    const captions = scenes.flatMap(({ imageId, systems: written }) => {
      const caption = written.get(system)
      return caption ? [{ imageId, caption: caption.sentence.text }] : []
    })
    await importResults(
      database,
      dataset,
      { source: system, captions: submittedResults(captions), system, allowMissing: false },
      part(progress, index / systems.length, (index + 1) / systems.length),
    )
    const { id } = await requireSystem(database, dataset.id, system)
    const descriptions = scenes.flatMap(({ systems: written }) => written.get(system) ?? [])
    insertSystemDescriptions(database, dataset.id, id, descriptions)
  }
}

async function loadScoreSystems(database: Database, dataset: Dataset, progress: Progress): Promise<void> {
  const files = listFiles(projectFile('seed/scores'), '.jsonl')
  for (const [index, file] of files.entries()) {
    await importScores(
      database,
      dataset,
      {
        source: file,
        read: (imageIds) => readWordScores(file, undefined, imageIds, false),
        system: basename(file, '.jsonl'),
      },
      part(progress, index / files.length, (index + 1) / files.length),
    )
  }
}
