import { matchCaption, sceneGraphOf } from '../../services/images/scene-graphs.js'
import type * as schema from '../execution/schema-types.js'
import { loadCaptions, loadSystemTokens, loadTokens } from '../images/loaders.js'

export const Caption: Pick<schema.CaptionResolvers, 'sceneGraph'> = {
  async sceneGraph({ id }, _args, context) {
    const words = await loadTokens(context, id)
    return context.inTurn(() => sceneGraphOf(words))
  },
}

export const SystemCaption: Pick<schema.SystemCaptionResolvers, 'sceneGraph' | 'matchedTuples'> = {
  async sceneGraph({ id }, _args, context) {
    const words = await loadSystemTokens(context, id)
    return context.inTurn(() => sceneGraphOf(words))
  },
  async matchedTuples({ id, imageId }, _args, context) {
    const references = await loadCaptions(context, imageId)
    const [candidate, ...others] = await Promise.all([
      loadSystemTokens(context, id),
      ...references.map((reference) => loadTokens(context, reference.id)),
    ])
    return context.inTurn(() => matchCaption(candidate, others))
  },
}

export const SceneGraph: Pick<schema.SceneGraphResolvers, 'objectAttributes' | 'objectRelations'> = {
  objectAttributes: ({ attributes }) => attributes.map(([object, attribute]) => ({ object, attribute })),
  objectRelations: ({ relations }) =>
    relations.map(([subject, relation, object]) => ({ subject, relation, object })),
}

export const MatchedTuple: schema.MatchedTupleResolvers = {
  kind: ({ tuple }) => tuple.kind.toUpperCase() as schema.TupleKind,
  names: ({ tuple }) => tuple.names,
  match: ({ match }) => match?.names ?? null,
}
