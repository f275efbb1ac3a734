import { findMetric } from '../../services/evaluations/scores.js'
import { loadBound } from '../bounds/loaders.js'
import { loadDataset } from '../datasets/loaders.js'
import type { Context } from '../execution/context.js'
import { fromGlobalId, type RowType } from '../execution/ids.js'
import type { QueryResolvers } from '../execution/schema-types.js'
import { loadCaption, loadImage, loadSystemCaption } from '../images/loaders.js'
import { loadJob } from '../jobs/loaders.js'
import { typeOfJob } from '../jobs/names.js'
import { selectionOfKey } from '../selection/key.js'
import { loadBox, loadDescription, loadSystemDescription } from '../selection/loaders.js'
import { loadSystem } from '../systems/loaders.js'
import { loadWord } from '../words/loaders.js'

export const Query: Pick<QueryResolvers, 'node'> = {
  async node(_parent, { id: globalId }, context) {
    const parts = fromGlobalId(globalId)
    if (!parts) return null
    switch (parts.type) {
      case 'Metric':
        return withType(parts.type, await findMetric(context.accord, parts.key))
      case 'ContentSelection':
        return withType(parts.type, await selectionOfKey(parts.key, context))
      default:
        return loadRow(parts.type, parts.id, context)
    }
  },
}

async function loadRow(type: RowType, id: number, context: Context) {
  switch (type) {
    case 'Dataset':
      return withType(type, await loadDataset(context, id))
    case 'Image':
      return withType(type, await loadImage(context, id))
    case 'Caption':
      return withType(type, await loadCaption(context, id))
    case 'SystemCaption':
      return withType(type, await loadSystemCaption(context, id))
    case 'Word':
      return withType(type, await loadWord(context, id))
    case 'System':
      return withType(type, await loadSystem(context, id))
    case 'Bound':
      return withType(type, await loadBound(context, id))
    case 'Job': {
      const job = await loadJob(context, id)
      return job && withType(typeOfJob(job), job)
    }
    case 'Box':
      return withType(type, await loadBox(context, id))
    case 'Description':
      return withType(type, await loadDescription(context, id))
    case 'SystemDescription':
      return withType(type, await loadSystemDescription(context, id))
  }
}

function withType<Type extends string, Row extends object>(type: Type, row: Row | null) {
  return row && { ...row, __typename: type }
}
