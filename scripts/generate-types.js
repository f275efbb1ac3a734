// Generates src/api/schema-types.ts, the resolver types, from schema.graphql.
import { readFileSync, writeFileSync } from 'node:fs'
import { codegen } from '@graphql-codegen/core'
import * as typescript from '@graphql-codegen/typescript'
import * as typescriptResolvers from '@graphql-codegen/typescript-resolvers'
import { parse } from 'graphql'

const target = new URL('../src/api/schema-types.ts', import.meta.url)

const output = await codegen({
  filename: target.pathname,
  schema: parse(readFileSync(new URL('../schema.graphql', import.meta.url), 'utf8')),
  documents: [],
  config: {
    useTypeImports: true,
    enumsAsTypes: true,
    immutableTypes: true,
    contextType: './context.js#Context',
    mappers: {
      Dataset: '../services/datasets.js#Dataset as DatasetModel',
      Image: '../services/images.js#Image as ImageModel',
      ImageWord: '../services/images.js#ImageWord as ImageWordModel',
      Caption: '../services/images.js#Caption as CaptionModel',
      SystemCaption: '../services/images.js#SystemCaption as SystemCaptionModel',
      Word: '../services/words.js#Word as WordModel',
      System: '../services/systems.js#System as SystemModel',
      SystemWordResult: '../services/systems.js#SystemWord as SystemWordModel',
      HumanPrecisionRecall: './word/models.js#HumanPrecisionRecallModel',
      UsageModel: './word/models.js#UsageModelModel',
      CaptionScore: './metric/models.js#CaptionScoreModel',
      MetricScore: '../services/scores.js#MetricScore as MetricScoreModel',
      ImageScore: '../services/scores.js#ImageScore as ImageScoreModel',
      HumanAgreement: '../services/agreement.js#HumanAgreement as HumanAgreementModel',
      AgreementScore: '../services/agreement.js#AgreementScore as AgreementScoreModel',
      Provenance: '../services/provenance.js#ProvenanceRecord as ProvenanceModel',
      PublishedAgreement: '../services/published.js#PublishedRow as PublishedAgreementModel',
      AgreementPoint: '../services/published.js#ReferencePoint as AgreementPointModel',
      PairwiseComparison: './dataset/models.js#PairwiseComparisonModel',
      LeaderboardRow: './dataset/models.js#LeaderboardRowModel',
      PhrSummary: './system/models.js#PhrSummaryModel',
      WordAgreementSummary: './dataset/models.js#WordAgreementSummaryModel',
      WordMean: '../services/word-means.js#WordMean as WordMeanModel',
      Evaluation: '../services/evaluations.js#Evaluation as EvaluationModel',
      Box: '../services/selection.js#Box as BoxModel',
      BoxImport: '../services/selection.js#BoxImport as BoxImportModel',
      Mention: './selection/models.js#MentionModel',
      Description: '../services/selection.js#HumanDescription as DescriptionModel',
      SystemDescription: '../services/selection.js#SystemDescriptionRow as SystemDescriptionModel',
      ContentSelection: './selection/models.js#ContentSelectionModel',
      SelectionScore: '../services/selection.js#SelectionResult as SelectionScoreModel',
      SelectionCurve: '../services/selection.js#BaselineResult as SelectionCurveModel',
      ImageSelection: '../services/selection.js#ImageSelection as ImageSelectionModel',
      ConceptImportance: '../selection/importance.js#ConceptImportance as ConceptImportanceModel',
      JudgementSet: '../services/judgements.js#JudgementSet as JudgementSetModel',
      JudgedCaption: '../services/judgements.js#JudgedCaption as JudgedCaptionModel',
      Preference: '../services/judgements.js#PreferenceRow as PreferenceModel',
      MetaEvaluation: '../services/judgements.js#MetaEvaluation as MetaEvaluationModel',
      MetaEvaluationRow: '../services/judgements.js#MetaEvaluationRow as MetaEvaluationRowModel',
      RatingFigures: '../services/judgements.js#RatingFigures as RatingFiguresModel',
      PreferenceFigures: '../services/judgements.js#PreferenceFigures as PreferenceFiguresModel',
      PublishedFigures: '../services/judgements.js#PublishedFigures as PublishedFiguresModel',
      MetricDifference: '../services/judgements.js#NamedDifference as MetricDifferenceModel',
      Disagreement: '../services/judgements.js#Disagreement as DisagreementModel',
      ImageConnection: './connection.js#ImageConnectionModel',
      WordConnection: './connection.js#WordConnectionModel',
      SystemWordConnection: './connection.js#SystemWordConnectionModel',
      ImageScoreConnection: './connection.js#ImageScoreConnectionModel',
      ImageSelectionConnection: './connection.js#ImageSelectionConnectionModel',
      ConceptImportanceConnection: './connection.js#ConceptImportanceConnectionModel',
    },
  },
  plugins: [{ typescript: {} }, { typescriptResolvers: {} }],
  pluginMap: { typescript, typescriptResolvers },
})
writeFileSync(
  target,
  `// Generated from schema.graphql by scripts/generate-types.js; do not edit.\n${output}`,
)
