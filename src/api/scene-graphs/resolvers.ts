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
  sceneGraph: async ({ id }, _args, context) => parse(await loadTokens(context, id), context),
}

export const SystemCaption: Pick<SystemCaptionResolvers, 'sceneGraph' | 'matchedTuples'> = {
  sceneGraph: async ({ id }, _args, context) => parse(await loadSystemTokens(context, id), context),
  async matchedTuples({ id, imageId }, _args, context) {
    const candidate = await loadSystemTokens(context, id)
    const captions = await loadCaptions(context, { imageId, only: [] })
    const references = await Promise.all(captions.map((caption) => loadTokens(context, caption.id)))
    return context.inTurn(() => matchCaption(candidate, references))
  },
}

function parse(tokens: readonly string[], context: Context) {
  return context.inTurn(() => sceneGraphOf(tokens))
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
