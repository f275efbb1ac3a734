import { submittedResults } from '../formats/coco-results.js'
import { collectScores, submittedScores } from '../formats/word-scores.js'
import type { Database } from '../store/database.js'
import { requireDataset } from '../store/datasets.js'
import { deleteSystem, requireSystem } from '../store/systems.js'
import { compareSystems, type PairwiseComparison } from './compare.js'
import {
  type ImageSelectionPage,
  type ImageSelectionsInput,
  pageOfImageSelections,
  type SelectionInput,
  type SelectionReport,
} from './content-selection.js'
import { type EvaluateInput, evaluateSystem } from './evaluate.js'
import { computeAgreement, storedAgreement } from './human-agreement.js'
import { importResults } from './import-results.js'
import { importScores } from './import-scores.js'
import { selectionReport } from './kept-selections.js'
import { chooseMetrics, loadFamilies } from './metric-families.js'
import type { Progress } from './progress.js'

/** What a server's worker thread can be asked to do: inputs and outputs that can be copied between threads. */
export interface Tasks {
  importResults: {
    input: {
      readonly dataset: string
      readonly system: string
      readonly captions: readonly { readonly imageId: string; readonly caption: string }[]
      readonly allowMissing: boolean
    }
    output: { readonly systemId: number }
  }
  importScores: {
    input: {
      readonly dataset: string
      readonly system: string
      readonly scores: readonly {
        readonly imageId: string
        readonly words: readonly { readonly word: string; readonly score: number }[]
      }[]
      readonly allowMissing: boolean
    }
    output: { readonly systemId: number; readonly unknownWords: readonly string[] }
  }
  evaluate: { input: EvaluateInput & { readonly dataset: string; readonly system: string }; output: null }
  agreement: {
    input: {
      readonly dataset: string
      readonly references: number
      readonly meteorData: string | undefined
    }
    output: null
  }
  removeSystem: { input: { readonly dataset: string; readonly system: string }; output: null }
  compare: {
    input: {
      readonly dataset: string
      readonly systems: readonly string[]
      readonly metric: string
      readonly meteorData: string | undefined
    }
    output: readonly PairwiseComparison[]
  }
  contentSelection: { input: SelectionInput; output: SelectionReport }
  imageSelections: { input: ImageSelectionsInput; output: ImageSelectionPage }
}

export type TaskName = keyof Tasks

type Task<Name extends TaskName> = (
  database: Database,
  input: Tasks[Name]['input'],
  progress: Progress,
) => Promise<Tasks[Name]['output']>

/** How each task is done. */
export const tasks: { readonly [Name in TaskName]: Task<Name> } = {
  async importResults(database, { dataset: name, system, captions, allowMissing }, progress) {
    const dataset = await requireDataset(database, name)
    const submitted = submittedResults(captions)
    const input = { source: 'captions', captions: submitted, system, allowMissing }
    const { systemId } = await importResults(database, dataset, input, progress)
    return { systemId }
  },

  async importScores(database, { dataset: name, system, scores, allowMissing }, progress) {
    const dataset = await requireDataset(database, name)
    const coverage = { source: 'scores', allowMissing }
    const { systemId, unknownWords } = await importScores(
      database,
      dataset,
      {
        source: 'scores',
        read: (images) => collectScores(submittedScores(scores), images, coverage),
        system,
      },
      progress,
    )
    return { systemId, unknownWords }
  },

  async evaluate(database, { dataset: name, system: systemName, ...input }, progress) {
    const dataset = await requireDataset(database, name)
    const system = await requireSystem(database, dataset.id, systemName)
    await evaluateSystem(database, system, input, progress)
    return null
  },

  async agreement(database, { dataset: name, references, meteorData }, progress) {
    const dataset = await requireDataset(database, name)
    const families = loadFamilies(meteorData)
    // Whoever asked at the same time was served by the task before.
    if (!(await storedAgreement(database, dataset, references, families))) {
      computeAgreement(database, dataset, references, families, progress)
    }
    return null
  },

  async removeSystem(database, { dataset: name, system }) {
    const dataset = await requireDataset(database, name)
    deleteSystem(database, (await requireSystem(database, dataset.id, system)).id)
    return null
  },

  async compare(database, { dataset: name, systems: names, metric, meteorData }) {
    const dataset = await requireDataset(database, name)
    const systems = await Promise.all(names.map((system) => requireSystem(database, dataset.id, system)))
    const { families } = chooseMetrics(loadFamilies(meteorData), [metric])
    return compareSystems(database, systems, families[0], metric)
  },

  contentSelection: selectionReport,
  imageSelections: pageOfImageSelections,
}
