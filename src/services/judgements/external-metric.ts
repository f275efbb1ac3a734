import { AccordError, quote } from '../../errors.js'
import { readExternalScores, scoreKey } from '../../formats/judgements/external-scores.js'
import type { Progress } from '../../progress.js'
import { findImages } from '../../store/images.js'
import { readJudgedCaptions, requireJudgementSet } from '../../store/judgements.js'
import type { Dataset } from '../../store/schema/entities.js'
import type { Accord } from '../accord.js'
import { captionsByImage } from '../images/images.js'
import { metricsOf, refreshComposites } from '../shared/computing.js'
import { keyBy } from '../shared/groups.js'
import { type ProgramInput, scoreByProgram } from './external-program.js'
import type { ExternalScores } from './judge.js'

/** A metric that another program computes. */
export interface ExternalMetric extends Omit<ExternalScores, 'scores'> {
  /** A command line, or a file of scores. */
  readonly source: { readonly command: string; readonly silence: number } | { readonly file: string }
}

/**
 * Scores judged captions by another program, or reads the scores.
 *
 * @throws AccordError NAME_TAKEN for the name of a metric; NOT_APPLICABLE for a dataset without judgements; INVALID_VALUE for a
 *   caption that a file has no score of; as `scoreByProgram` and `readExternalScores`
 */
export async function scoreExternally(
  accord: Accord,
  dataset: Dataset,
  { source, ...metric }: ExternalMetric,
  progress: Progress,
): Promise<ExternalScores> {
  await refreshComposites(accord)
  if (metricsOf(accord).has(metric.name)) {
    const found = quote(metric.name)
    throw new AccordError('NAME_TAKEN', 'a metric of this name exists', {
      source: 'metric name',
      expected: 'another name',
      found,
    })
  }
  const captions = await readInputs(accord, dataset)
  const inputs = captions.map(({ input }) => input)
  const scores =
    'command' in source
      ? await scoreByProgram(inputs, { ...source, progress })
      : findScores(source.file, captions)
  return { ...metric, scores: [...scores] }
}

interface JudgedInput {
  readonly system: string | null
  readonly input: ProgramInput
}

async function readInputs(accord: Accord, dataset: Dataset): Promise<JudgedInput[]> {
  const { id } = await requireJudgementSet(accord.database, dataset)
  const captions = await readJudgedCaptions(accord.database, id)
  const imageIds = [...new Set(captions.map(({ imageId }) => imageId))]
  const images = keyBy(await findImages(accord.database, imageIds), (image) => image.id)
  const references = await captionsByImage(accord, imageIds, ['text'])
  return captions.map(({ imageId, system, text }) => {
    const image = images.get(imageId)
    return {
      system,
      input: {
        image_id: image?.externalId as string,
        image: image?.fileName ?? null,
        caption: text,
        references: (references.get(imageId) ?? []).map((reference) => reference.text as string),
      },
    }
  })
}

function findScores(file: string, captions: readonly JudgedInput[]): number[] {
  const scores = readExternalScores(file)
  return captions.map(({ system, input: { image_id: imageId, caption } }) => {
    const score =
      (system === null ? undefined : scores.get(scoreKey(imageId, { system }))) ??
      scores.get(scoreKey(imageId, { caption }))
    if (score !== undefined) return score
    throw new AccordError('INVALID_VALUE', 'a score is missing', {
      source: file,
      expected: `a score of ${quote(caption)} of image ${quote(imageId)}`,
      found: 'none',
    })
  })
}
