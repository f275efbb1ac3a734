import { matchCaption, sceneGraphOf } from '../../services/scene-graphs.js'
import type { Context } from '../context.js'
import { loadCaptions, loadSystemTokens, loadTokens } from '../image/loaders.js'
import type {
  CaptionResolvers,
  MatchedTupleResolvers,
  SceneGraphResolvers,
  SystemCaptionResolvers,
  TupleKind,
} from '../schema-types.js'

export const Caption: Pick<CaptionResolvers, 'sceneGraph'> = {
  sceneGraph: ({ id }, _args, context) => parse(loadTokens(context, id), context),
}

export const SystemCaption: Pick<SystemCaptionResolvers, 'sceneGraph' | 'matchedTuples'> = {
  sceneGraph: ({ id }, _args, context) => parse(loadSystemTokens(context, id), context),
  async matchedTuples({ id, imageId }, _args, context) {
    const references = await loadCaptions(context, { imageId, only: [] })
    const [candidate, ...others] = await Promise.all([
      loadSystemTokens(context, id),
      ...references.map((caption) => loadTokens(context, caption.id)),
    ])
    return context.inTurn(() => matchCaption(candidate, others))
  },
}

async function parse(tokens: Promise<readonly string[]>, context: Context) {
  const words = await tokens
  return context.inTurn(() => sceneGraphOf(words))
}

export const SceneGraph: Pick<SceneGraphResolvers, 'attributes' | 'relations'> = {
  attributes: ({ attributes }) => attributes.map(([object, attribute]) => ({ object, attribute })),
  relations: ({ relations }) =>
    relations.map(([subject, relation, object]) => ({ subject, relation, object })),
}

export const MatchedTuple: MatchedTupleResolvers = {
  kind: ({ tuple }) => tuple.kind.toUpperCase() as TupleKind,
  names: ({ tuple }) => tuple.names,
  match: ({ match }) => match?.names ?? null,
}
