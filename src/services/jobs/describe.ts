import { basename } from 'node:path'
import { isOfKind, type Job } from './jobs.js'

/** What a job did, in one sentence. Null until it is done. */
export function summaryOf(job: Job): string | null {
  if (job.status !== 'DONE') return null
  if (isOfKind(job, 'removeDataset')) {
    const { input } = job
    return `Removed the dataset ${input.dataset} and its ${count(job.result?.systemCount ?? 0, 'system')}.`
  }
  if (isOfKind(job, 'removeSystem')) return `Removed the system ${job.input.system}.`
  if (isOfKind(job, 'evaluate')) return `Stored ${count(job.result?.scoreIds.length ?? 0, 'score')}.`
  if (isOfKind(job, 'agreement')) return `Stored the table of ${count(job.input.references, 'reference')}.`
  if (isOfKind(job, 'trainComposite')) return `Trained the metric ${job.input.name}.`
  if (isOfKind(job, 'importResults')) return `Imported the system ${job.input.system}.`
  if (isOfKind(job, 'importWordScores')) return `Imported the system ${job.input.system}.`
  if (isOfKind(job, 'importDescriptions')) return `Imported descriptions of the system ${job.input.system}.`
  if (isOfKind(job, 'importCaptions')) return `Imported the dataset ${job.input.dataset}.`
  if (isOfKind(job, 'importBoxes')) return `Imported boxes into the dataset ${job.input.dataset}.`
  if (isOfKind(job, 'importJudgements')) return `Imported judgements into the dataset ${job.input.dataset}.`
  if (isOfKind(job, 'importVotes')) return `Imported ${count(job.result?.voteCount ?? 0, 'vote')}.`
  if (isOfKind(job, 'importArtefact')) return `Imported the metric ${job.result?.name}.`
  if (isOfKind(job, 'importVocabulary')) return 'Replaced the vocabulary.'
  if (isOfKind(job, 'importBound')) return 'Imported the bound.'
  if (isOfKind(job, 'trainBound')) return 'Trained the bound.'
  if (isOfKind(job, 'countAtoms')) return 'Counted the atoms.'
  return 'Answered the query.'
}

/** The input of a job as JSON, without ids of rows and uploads, and without folders of the machine. */
export function inputOf({ input }: Job): string {
  return JSON.stringify(input, (key, value: unknown) => {
    if (HIDDEN.includes(key)) return undefined
    return key === 'path' && typeof value === 'string' ? basename(value) : value
  })
}

const HIDDEN = ['datasetId', 'systemId', 'systemIds', 'upload']

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
