// Writes src/api/schema-types.ts, the types of the resolvers, from schema.graphql.
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
    contextType: './context.js#Context',
    mappers: {
      Dataset: '../store/entities.js#Dataset as DatasetModel',
      Image: '../store/entities.js#Image as ImageModel',
      Caption: '../store/entities.js#Caption as CaptionModel',
      SystemCaption: '../store/entities.js#SystemCaption as SystemCaptionModel',
      Word: '../store/entities.js#Word as WordModel',
      System: '../store/entities.js#System as SystemModel',
      SystemWordResult: '../store/entities.js#SystemWord as SystemWordModel',
      HumanPrecisionRecall: './word/models.js#HumanPrecisionRecallModel',
      UsageModel: './word/models.js#UsageModelModel',
      CaptionScore: './metric/models.js#CaptionScoreModel',
      MetricScore: '../store/entities.js#MetricScore as MetricScoreModel',
      ImageScore: './metric/models.js#ImageScoreModel',
      ImageScoreConnection: './metric/models.js#ImageScoreConnectionModel',
      HumanAgreement: './metric/models.js#HumanAgreementModel',
      AgreementScore: '../store/entities.js#AgreementScore as AgreementScoreModel',
      Evaluation: '../store/entities.js#Evaluation as EvaluationModel',
      Box: '../store/box-entities.js#Box as BoxModel',
      BoxImport: '../store/box-entities.js#BoxImport as BoxImportModel',
      Mention: './selection/models.js#MentionModel',
      Description: '../store/boxes.js#HumanDescription as DescriptionModel',
      SystemDescription: '../store/boxes.js#SystemDescriptionRow as SystemDescriptionModel',
      ContentSelection: './selection/models.js#ContentSelectionModel',
      SelectionScore: '../jobs/content-selection.js#SelectionResult as SelectionScoreModel',
      SelectionCurve: '../jobs/content-selection.js#BaselineResult as SelectionCurveModel',
      ImageSelection: '../jobs/content-selection.js#ImageSelection as ImageSelectionModel',
      ImageSelectionConnection: './selection/models.js#ImageSelectionConnectionModel',
      ConceptImportance: '../selection/importance.js#ConceptImportance as ConceptImportanceModel',
      ConceptImportanceConnection: './selection/models.js#ConceptImportanceConnectionModel',
      ImageConnection: './connection.js#ImageConnectionModel',
      WordConnection: './connection.js#WordConnectionModel',
      SystemWordConnection: './connection.js#SystemWordConnectionModel',
    },
  },
  plugins: [{ typescript: {} }, { typescriptResolvers: {} }],
  pluginMap: { typescript, typescriptResolvers },
})
writeFileSync(
  target,
  `// Generated from schema.graphql by scripts/generate-types.js; do not edit.\n${output}`,
)
