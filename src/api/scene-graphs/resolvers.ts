import { matchCaption, sceneGraphOf } from '../../services/scene-graphs.js'
import type { Context } from '../context.js'
import { loadCaptions, loadTokenTexts } from '../image/loaders.js'
import type {
  CaptionResolvers,
  MatchedTupleResolvers,
  SceneGraphResolvers,
  SystemCaptionResolvers,
  TupleKind,
} from '../schema-types.js'

export const Caption: Pick<CaptionResolvers, 'sceneGraph'> = {
  sceneGraph: ({ tokens }, _args, context) => parse(tokens, context),
}

export const SystemCaption: Pick<SystemCaptionResolvers, 'sceneGraph' | 'matchedTuples'> = {
  sceneGraph: ({ tokens }, _args, context) => parse(tokens, context),
  async matchedTuples({ tokens, imageId }, _args, context) {
    const references = await loadCaptions(context, imageId)
    const [candidate, ...others] = await Promise.all(
      [tokens, ...references.map((caption) => caption.tokens)].map((caption) =>
        loadTokenTexts(context, caption),
      ),
    )
    return context.inTurn(() => matchCaption(candidate, others))
  },
}

async function parse(tokens: Buffer, context: Context) {
  const words = await loadTokenTexts(context, tokens)
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
