import { AccordError } from '../../errors.js'
import type { ImageSelection, Selector } from '../../jobs/content-selection.js'
import { BASELINES, type Baseline } from '../../selection/baselines.js'
import { toConnection, toPageRequest } from '../connection.js'
import type { Context } from '../context.js'
import type { ContentSelectionImageScoresArgs, SelectionBaseline, SelectionMeasure } from '../schema-types.js'
import type { ContentSelectionModel, ImageSelectionConnectionModel, MentionModel } from './models.js'

/** A page of the scores of single images, computed by the worker thread. */
export async function imageSelectionsOf(
  { input }: ContentSelectionModel,
  args: Partial<ContentSelectionImageScoresArgs>,
  { queryRunner, checkTime }: Context,
): Promise<ImageSelectionConnectionModel> {
  const selector = toSelector(args)
  const by = MEASURES[args.measure ?? 'F']
  const worstFirst = (args.orderBy ?? 'WORST_FIRST') === 'WORST_FIRST'
  const order = `image selections ${JSON.stringify([input, selector, by, worstFirst])}`
  const request = toPageRequest(order, args)
  checkTime()
  const externalIds = args.externalIds ?? undefined
  const page = await queryRunner.start('imageSelections', {
    ...input,
    selector,
    by,
    worstFirst,
    externalIds,
    request,
  }).result
  return toConnection(order, page, () => page.totalCount)
}

/** The sentence of a baseline, its mentions with their boxes. */
export async function sentenceOf(
  { imageId, sentence }: ImageSelection,
  { loaders }: Context,
): Promise<{ text: string; mentions: MentionModel[] } | null> {
  if (sentence === null) return null
  const boxes = new Map((await loaders.boxes.load(imageId)).map((box) => [box.externalId, box]))
  const mentions = sentence.mentions.flatMap(({ boxIds, ...span }) =>
    boxIds.flatMap((id) => {
      const box = boxes.get(id)
      return box ? [{ ...span, box }] : []
    }),
  )
  return { text: sentence.text, mentions }
}

/** The name of a baseline in the API: `unigram+size` is `UNIGRAM_SIZE`. */
export function toBaselineName(baseline: Baseline): SelectionBaseline {
  return baseline.toUpperCase().replace('+', '_') as SelectionBaseline
}

const MEASURES = { PRECISION: 'precision', RECALL: 'recall', F: 'f' } as const satisfies Record<
  SelectionMeasure,
  string
>

function toSelector({ baseline: name, k, system }: Partial<ContentSelectionImageScoresArgs>): Selector {
  if (name != null && system != null) {
    throw new AccordError('NOT_APPLICABLE', 'scores are those of one selection', {
      source: 'baseline, system',
      expected: 'one of them, or neither for people',
      found: 'both',
    })
  }
  if (system != null) return { kind: 'system', name: system }
  const baseline = BASELINES.find((candidate) => toBaselineName(candidate) === name)
  if (baseline === undefined) return { kind: 'human' }
  if (k != null) return { kind: 'baseline', baseline, k }
  throw new AccordError('OUT_OF_RANGE', 'a baseline selects a number of boxes', {
    source: 'k',
    expected: 'a number of boxes',
    found: 'none',
  })
}
