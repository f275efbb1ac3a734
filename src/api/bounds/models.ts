import type { BoundFigures } from '../../services/bounds.js'
import type { VoteReport } from '../../services/votes.js'

export type AtomVotesModel = Omit<VoteReport, 'dataset'>
export type BoundPointModel = BoundFigures['points'][number]
export type SemanticCapacityModel = BoundFigures['capacities'][number]
export type RetrievalBoundModel = NonNullable<BoundFigures['retrieval']>
