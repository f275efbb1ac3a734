import type { CollectionReport } from '../../services/collections/collection-report.js'

export type CollectionAgreementModel = Omit<CollectionReport, 'annotators'>
