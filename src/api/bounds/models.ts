import type { BoundFigures } from '../../services/bounds/bound-figures.js'
import type { VoteReport } from '../../services/bounds/votes.js'
import type { Bound } from '../../store/schema/entities.js'

export type AtomVotesModel = Omit<VoteReport, 'dataset'>
export type BoundResultModel = NonNullable<Bound['outcome']>
export type BoundPointModel = BoundFigures['points'][number]
export type SemanticCapacityModel = BoundFigures['capacities'][number]
export type RetrievalBoundModel = NonNullable<BoundFigures['retrieval']>
