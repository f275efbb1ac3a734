import { matchCaption, sceneGraphOf } from '../../services/images/scene-graphs.js'
import { isEnglishImage, loadCaptions, loadSystemTokens, loadTokens } from '../loaders/datasets.js'
import type * as schema from '../shared/schema-types.js'

export const Caption: schema.CaptionResolvers = {
  async sceneGraph({ id, imageId }, _args, context) {
    if (!(await isEnglishImage(context, imageId))) return null
    const words = await loadTokens(context, id)
    return context.inTurn(() => sceneGraphOf(words))
  },
}

export const SystemCaption: schema.SystemCaptionResolvers = {
  async sceneGraph({ id, imageId }, _args, context) {
    if (!(await isEnglishImage(context, imageId))) return null
    const words = await loadSystemTokens(context, id)
    return context.inTurn(() => sceneGraphOf(words))
  },
  async matchedTuples({ id, imageId }, _args, context) {
    if (!(await isEnglishImage(context, imageId))) return []
    const references = await loadCaptions(context, imageId)
    const [candidate, ...others] = await Promise.all([
      loadSystemTokens(context, id),
      ...references.map((reference) => loadTokens(context, reference.id)),
    ])
    return context.inTurn(() => matchCaption(candidate, others))
  },
}

export const SceneGraph: schema.SceneGraphResolvers = {
  objectAttributes: ({ attributes }) => attributes.map(([object, attribute]) => ({ object, attribute })),
  objectRelations: ({ relations }) =>
    relations.map(([subject, relation, object]) => ({ subject, relation, object })),
}

export const MatchedTuple: schema.MatchedTupleResolvers = {
  kind: ({ tuple }) => tuple.kind.toUpperCase() as schema.TupleKind,
}
